// Compares models.json with a catalogue of models: node compare.mjs models.json CATALOGUE.js. It prints the models of the providers
// themselves that policies do not know, and fails where a window is larger than its provider's.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const [ours, catalogue] = process.argv.slice(2)
const known = JSON.parse(readFileSync(ours, 'utf8')).flatMap((group) => Object.entries(group.models ?? {})).sort(([a], [b]) => b.length - a.length)
const { MODELS } = await import(resolve(catalogue))
const providers = ['anthropic', 'openai', 'google', 'xai', 'deepseek', 'mistral', 'zai', 'moonshotai', 'minimax', 'meta']
// find is as ModelByName in core/internal/policy/models.go.
const find = (name) => known.find(([want]) => {
  const open = want.endsWith('*')
  const text = open ? want.slice(0, -1) : want
  for (let at = name.indexOf(text); at >= 0; at = name.indexOf(text, at + 1)) {
    const after = name[at + text.length]
    if ((at === 0 || './:@'.includes(name[at - 1])) && (open || after === undefined || '-:@'.includes(after))) return true
  }
  return false
})

let missing = 0
let over = 0
for (const provider of providers) {
  for (const { id, contextWindow: window, maxTokens } of Object.values(MODELS[provider] ?? {})) {
    const [name, model] = find(id.toLowerCase()) ?? []
    if (!name) missing++, console.log(`not known: ${id} (${provider}): window ${window}, answer ${maxTokens}`)
    else if (model.window > window) over++, console.log(`too large: ${id} (${provider}): window ${window}, and ${model.window} as ${name}`)
  }
}
console.log(`${known.length} models are known; ${missing} of the catalogue are not, ${over} have a window that is too large`)
process.exitCode = over ? 1 : 0
