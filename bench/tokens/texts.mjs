// Gathers texts of many kinds from what is installed: node texts.mjs OUT ROOT...
// Each file gives one slice of 400 to 5,000 bytes, chosen by a hash of its path, so that a second run gives the same texts. Texts
// with an even number are fitted on, those with an odd one never. They are from other folders than the first, unless one folder
// has over a quarter of the texts of its kind; of what a command prints, ten pieces count as one folder.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'

const [out, ...roots] = process.argv.slice(2)
const PER_KIND = Number(process.env.PER_KIND ?? 80)
const hash = (s) => createHash('sha256').update(s).digest()
const language = 'de|fr|es|pl|ru|uk|ja|ko|zh_CN|zh_TW|ar|hi|el|he|th|vi|tr|cs|hu|fi|it|pt_BR|ta|te|bn|fa'

// kind → the path that a file must match; a function may take the language from the path instead.
const kinds = [
  ['md', /\.md$/], ['go', /\/go\/(src|pkg)\/.*\.go$/], ['minjs', /\.min\.(js|mjs|css)$/], ['js', /\/[^.]*\.(js|mjs|cjs|ts)$/],
  ['py', /\.py$/], ['sh', /\.sh$|\/etc\/init\.d\/|\/bin\/[a-z-]+(?:grep|less|diff|select|update|config)[a-z-]*$/], ['json', /\.json$/], ['html', /debian-handbook.*\.html$/],
  ['csv', /\.csv$|unicode\/.*\.txt$/], ['log', /\.log(\.\d)?$/], ['yaml', /\.ya?ml$/], ['c', /\.[ch]$/], ['rst', /\.rst$/], ['tex', /\.(css|xml|svg)$/],
]
const prose = new RegExp(`/(?:man|help|html|libreoffice/help|installation-guide-amd64)/(C|en|en-US|${language}|[a-z]{2}-[A-Z]{2})/.*(?:\\.page|\\.html?|\\.[1-8]\\.gz)$`)

function strip(path, text) {
  if (/\.(page|html?)$/.test(path)) {
    return text.replace(/<(script|style)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"').replace(/&nbsp;|&#160;/g, ' ').replace(/&amp;/g, '&').replace(/[ \t]+\n/g, '\n').replace(/\n\s*\n+/g, '\n')
  }
  return text.split('\n').filter((l) => !/^['.]/.test(l)).join('\n').replace(/\\f[A-Z]|\\f\([A-Z]{2}|\\f\[[A-Z]*\]/g, '').replace(/\\-/g, '-').replace(/\\&/g, '')
}

const found = new Map()
const add = (kind, path, make) => {
  if (!found.has(kind)) found.set(kind, [])
  found.get(kind).push({ path, make, order: hash(path).readUInt32LE(0) })
}
let root = ''
function walk(dir, depth) {
  let names
  try { names = readdirSync(dir, { withFileTypes: true }) } catch { return }
  for (const e of names) {
    const path = join(dir, e.name)
    const rel = path.slice(root.length) // so that it does not matter where the roots are
    if (e.isDirectory()) { if (depth < 14 && e.name !== '.git' && e.name !== 'proc') walk(path, depth + 1); continue }
    if (!e.isFile()) continue
    const lang = prose.exec(path)
    if (lang) {
      const code = lang[1] === 'C' || lang[1].startsWith('en') ? 'en' : lang[1].replace(/-[A-Z]+$/, '').replace('zh_TW', 'zh').replace('zh_CN', 'zh').replace('pt_BR', 'pt')
      add(code, rel, () => strip(path, read(path)))
    }
    for (const [kind, re] of kinds) if (re.test(path)) { add(kind, rel, () => read(path)); break }
    if (/\.(gz|png|wasm)$/.test(e.name)) {
      add('base64', rel, () => { const b = readFileSync(path).subarray(40, 8000).toString('base64'); return hash(rel)[1] & 1 ? b : b.replace(/(.{76})/g, '$1\n') })
      add('hex', rel, () => {
        const b = readFileSync(path).subarray(64, 6000)
        if (hash(rel)[1] & 1) return b.toString('hex').replace(hash(rel)[2] & 1 ? /(.{64})/g : /(.{40})/g, '$1\n')
        let s = ''
        for (let i = 0; i < b.length; i += 16) {
          const row = [...b.subarray(i, i + 16)]
          const h = row.map((x) => x.toString(16).padStart(2, '0'))
          s += i.toString(16).padStart(8, '0') + '  ' + h.slice(0, 8).join(' ') + '  ' + h.slice(8).join(' ') + '  |' + row.map((x) => (x > 31 && x < 127 ? String.fromCharCode(x) : '.')).join('') + '|\n'
        }
        return s
      })
    }
    if (/package\.json$/.test(path)) add('ws', rel, () => JSON.stringify(JSON.parse(read(path)), null, 8))
  }
}
const read = (path) => {
  if (statSync(path).size > 8 << 20) return ''
  let b = readFileSync(path)
  if (path.endsWith('.gz')) b = gunzipSync(b)
  return new TextDecoder('utf-8', { fatal: true }).decode(b)
}
const run = (cmd, ...args) => { try { return execFileSync(cmd, args, { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] }) } catch { return '' } }
const chunks = (kind, name, text, size) => { for (let i = 0, n = 0; i + 400 < text.length && n < 200; i += size, n++) { const at = i; add(kind, `${name}#${n}`, () => text.slice(at, at + size)) } }

for (root of roots) walk(root, 0)
for (const d of ['/usr/lib', '/usr/sbin', '/usr/bin', '/usr/share', '/var/lib/dpkg/info', '/etc']) chunks('ws', 'ls -l ' + d, run('ls', '-l', d), 3000)
chunks('ws', 'dpkg -l', run('dpkg', '-l'), 2500)
chunks('log', 'dpkg.log', run('cat', '/var/log/dpkg.log'), 2500)
chunks('log', 'ps', run('ps', 'auxww'), 2500)
chunks('log', 'go test', run('go', 'test', '-json', 'strings'), 2500)
chunks('diff', 'git log', run('git', 'log', '-p', '--reverse', '-60'), 2800)
for (const r of roots) for (const f of [join(r, 'unicode-data/usr/share/unicode/emoji/emoji-test.txt'), '/usr/share/unicode/emoji/emoji-test.txt']) {
  try {
    const lines = readFileSync(f, 'utf8').split('\n').filter((l) => l.includes('fully-qualified')).map((l) => l.split('# ')[1]?.replace(/E\d+\.\d+ /, ''))
    for (let i = 0; i < 160; i++) {
      const pick = Array.from({ length: 40 }, (_, k) => lines[hash(`${i}/${k}`).readUInt32LE(0) % lines.length])
      add('emoji', `emoji#${i}`, () => (i % 3 ? pick.join('\n') : pick.map((l) => l.split(' ')[0]).join(i % 2 ? '' : ' ')))
    }
  } catch {}
}

const folder = (path) => (path.includes('#') ? path.replace(/.$/, '') : dirname(path))
mkdirSync(out, { recursive: true })
const index = []
for (const [kind, files] of [...found].sort()) {
  files.sort((a, b) => a.order - b.order)
  const sizes = new Map()
  for (const f of files) sizes.set(folder(f.path), (sizes.get(folder(f.path)) ?? 0) + 1)
  const numbers = [0, 1]
  for (const f of files) {
    const held = hash('half ' + (sizes.get(folder(f.path)) * 4 <= files.length ? folder(f.path) : f.path))[0] & 1
    if (numbers[held] >= PER_KIND) continue
    let text
    try { text = f.make() } catch { continue }
    const h = hash('slice ' + f.path)
    const size = 400 + (h.readUInt32LE(0) % 4600)
    const from = text.length > size ? h.readUInt32LE(4) % (text.length - size) : 0
    text = text.slice(from, from + size).toWellFormed?.() ?? text.slice(from, from + size)
    text = text.replace(/\ufffd/g, '')
    if (Buffer.byteLength(text) < 300) continue
    const name = `${kind}-${String(numbers[held]).padStart(3, '0')}.txt`
    numbers[held] += 2
    writeFileSync(join(out, name), text)
    index.push(`${name}\t${kind}\t${f.path}`)
  }
}
writeFileSync(join(out, 'index.tsv'), index.join('\n') + '\n')
console.log(`${index.length} texts of ${found.size} kinds in ${out}`)
