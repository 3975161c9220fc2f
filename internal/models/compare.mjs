// Compares models.json with a catalogue of models, and writes prices.json from it:
//
//	node compare.mjs CATALOGUE.js DATE SOURCE
//
// in the folder of both files. It prints the models of the listed providers that policies don't
// know, and fails if a window is larger than the catalogue's. DATE is the date of the catalogue,
// and SOURCE its address.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const [catalogue, date, source] = process.argv.slice(2)
const byLength = ([a], [b]) => b.length - a.length || (a < b ? -1 : 1)
const known = JSON.parse(readFileSync('models.json', 'utf8')).flatMap((group) => Object.entries(group.models ?? {})).sort(byLength)
const { MODELS } = await import(resolve(catalogue))
const providers = ['anthropic', 'openai', 'google', 'xai', 'deepseek', 'mistral', 'zai', 'moonshotai', 'minimax', 'meta']
const listed = providers.flatMap((provider) => Object.values(MODELS[provider] ?? {}).map((model) => ({ ...model, provider, id: model.id.toLowerCase() })))

// find works like lookUp in core/internal/policy/models.go.
const find = (table, name) => table.find(([want]) => {
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
for (const { id, provider, contextWindow: window, maxTokens } of listed) {
  const [name, model] = find(known, id) ?? []
  if (!name) missing++, console.log(`not known: ${id} (${provider}): window ${window}, answer ${maxTokens}`)
  else if (model.window > window) over++, console.log(`too large: ${id} (${provider}): window ${window}, and ${model.window} as ${name}`)
}
console.log(`${known.length} models are known; ${missing} of the catalogue are not, ${over} have a window that is too large`)

// A model needs no price of its own if the price of the longest shorter name is the same. Free models are left out: their prices are
// those of a subscription.
const prices = []
for (const { id, cost } of listed.filter(({ id, cost }) => cost.input > 0 && find(known, id)).sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))) {
  const price = { input: cost.input, output: cost.output, cache_read: cost.cacheRead || cost.input, cache_write: cost.cacheWrite || cost.input }
  const [, same] = find(prices, id) ?? []
  if (JSON.stringify(same) !== JSON.stringify(price)) prices.push([id, price])
  prices.sort(byLength)
}
const rows = prices.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, price]) => `    ${JSON.stringify(name)}: ${JSON.stringify(price)}`)
writeFileSync('prices.json', `{\n  "date": ${JSON.stringify(date)},\n  "source": ${JSON.stringify(source)},\n  "models": {\n${rows.join(',\n')}\n  }\n}\n`)
console.log(`prices.json has ${rows.length} prices of ${date}`)
process.exitCode = over ? 1 : 0
