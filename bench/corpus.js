// Generates coding-agent conversations and chats of any size, in OpenAI's chat format. The same size yields the same bytes.

const ENGLISH =
  "The build fails because the parser reads one byte too many when a field is empty; the test that covers it was skipped last week. ";
const CODE =
  'func read(path string) ([]byte, error) {\n\tb, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf("reading %q: %w", path, err)\n\t}\n\treturn b, nil\n}\n';
const LISTING =
  '{"files":[{"name":"read.go","size":1824,"kind":"file","owner":"build"},{"name":"testdata","size":4096,"kind":"dir","owner":"build"}],"next":null}\n';
const LOG = "2024-05-06 07:08:09.123 WARN  [worker-3] retry 2 of 5: dial tcp 10.0.0.7:8443: connect: connection refused\n\tat pool.go:118\n";
const SCRIPTS = [
  "构建失败，因为解析器在字段为空时多读了一个字节；覆盖它的测试上周被跳过了。",
  "Сборка падает, потому что разборщик читает лишний байт, когда поле пустое. ",
  "फ़ील्ड खाली होने पर पार्सर एक बाइट अधिक पढ़ता है, इसलिए बिल्ड विफल होता है। ",
  "يفشل البناء لأن المحلل يقرأ بايتًا زائدًا عندما يكون الحقل فارغًا. ",
  "フィールドが空のときパーサーが1バイト余分に読むため、ビルドが失敗します。",
  "Le champ est vidé à l’entrée : « déjà lu », naïveté d’un œil pressé. 🙂 ",
];

/** Returns a generator of integers below n, which is the same for each seed (a 32-bit linear congruential generator). */
function random(seed) {
  let s = seed >>> 0;
  return (n) => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return Math.floor((s / 2 ** 32) * n);
  };
}

/**
 * Returns messages of about `bytes` bytes of JSON. Each turn has a question, an assistant message with a tool call, its result of a few
 * kilobytes, and an answer. With `mixed`, half of all prose is in six scripts.
 */
export function conversation(bytes, mixed) {
  const below = random(1);
  const prose = (n) => {
    let text = "";
    while (text.length < n) text += mixed && below(2) ? SCRIPTS[below(SCRIPTS.length)] : ENGLISH;
    return text;
  };
  const messages = [{ role: "system", content: prose(800) }];
  for (let size = 0, turn = 0; size < bytes; turn++) {
    const id = `call_${turn}`;
    const path = `src/pkg${below(50)}/file${below(400)}.go`;
    const result = mixed && below(2) ? prose(1500 + below(1500)) : [CODE, CODE, LISTING, LOG][below(4)].repeat(10 + below(12));
    const added = [
      { role: "user", content: prose(150 + below(300)) },
      {
        role: "assistant",
        content: prose(100),
        tool_calls: [{ id, type: "function", function: { name: "read", arguments: JSON.stringify({ path }) } }],
      },
      { role: "tool", tool_call_id: id, content: result },
      { role: "assistant", content: prose(200 + below(600)) },
    ];
    messages.push(...added);
    size += utf8Length(JSON.stringify(added));
  }
  return messages;
}

/** The subjects of the sentences in a generated chat. */
const SUBJECTS = ["the crane", "our offer", "the invoice", "my sister", "the kitchen", "this route", "the second draft", "the hotel", "Marta", "the garden"];
const VERBS = ["needs", "moves", "costs", "replaces", "delays", "prefers", "includes", "confirms", "rules out", "shares"];
const OBJECTS = ["a window seat", "forty tonnes", "the blue tiles", "two more weeks", "the night train", "an extra key", "steel beams", "less light", "a deposit", "the old address"];
const PLACES = ["in Harlingen", "before Tuesday", "for the client", "near the station", "on the first floor", "in March", "at no extra charge", "after the review"];

/**
 * Returns a chat of about `bytes` bytes of JSON: short questions and longer answers, some of them with a list. The sentences combine few
 * words, but hardly any two are the same.
 */
export function chat(bytes) {
  const below = random(2);
  const of = (list) => list[below(list.length)];
  const sentence = (end) => {
    const text = `${of(SUBJECTS)} ${of(VERBS)} ${of(OBJECTS)} ${of(PLACES)}${below(3) ? "" : `, about ${below(900)} euros`}${end}`;
    return text[0].toUpperCase() + text.slice(1);
  };
  const sentences = (n) => Array.from({ length: n }, () => sentence(". ")).join("").trim();
  const messages = [];
  for (let size = 0; size < bytes; ) {
    const list = below(3) ? "" : `\n\n${Array.from({ length: 4 }, () => `- **${of(OBJECTS)}**: ${sentence(".")}`).join("\n")}`;
    const added = [
      { role: "user", content: `${sentences(below(3))} ${sentence("?")}`.trim() },
      { role: "assistant", content: Array.from({ length: 1 + below(5) }, () => sentences(2 + below(4))).join("\n\n") + list },
    ];
    messages.push(...added);
    size += utf8Length(JSON.stringify(added));
  }
  return messages;
}

const encoder = new TextEncoder();

function utf8Length(text) {
  return encoder.encode(text).length;
}
