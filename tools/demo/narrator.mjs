import { styleText } from 'node:util';

const SHOWN = 40;
const KEPT = 16;

/** Prints the story: headings, remarks, and each request with its response. */
export class Narrator {
  #chapter = 0;

  chapter(title) {
    this.#chapter += 1;
    say(`\n${styled('bold', `${this.#chapter}. ${title}`)}`);
  }

  remark(text) {
    say(styled('dim', `   ${text}`));
  }

  command(words) {
    say(`${styled('cyan', '$')} ${words.join(' ')}`);
  }

  output(text) {
    for (const line of text.trimEnd().split('\n')) say(`  ${line}`);
  }

  request(method, path, { bearer, cookies, body }) {
    say(`${styled('cyan', '→')} ${method} ${path}`);
    if (bearer) say(`  Authorization: Bearer ${shortened(bearer)}`);
    for (const [name, value] of Object.entries(cookies)) say(`  Cookie: ${name}=${shortened(value)}`);
    if (body) this.#json(body);
  }

  answer({ status, headers, body }) {
    const color = status < 400 ? 'green' : 'yellow';
    say(`${styled(color, '←')} ${styled(color, String(status))}`);
    for (const name of ['retry-after', 'www-authenticate']) {
      if (headers.has(name)) say(`  ${name}: ${headers.get(name)}`);
    }
    for (const cookie of headers.getSetCookie()) {
      const [pair, ...attributes] = cookie.split('; ');
      const [name, value] = pair.split('=');
      say(`  set-cookie: ${[`${name}=${shortened(value)}`, ...attributes].join('; ')}`);
    }
    if (body) this.#json(body);
  }

  drawing(text) {
    say(text);
  }

  #json(value) {
    const text = JSON.stringify(value, (_name, member) => (typeof member === 'string' ? shortened(member) : member), 2);
    // Short lists read better on one line.
    const compact = text.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, items) => `[${items.replace(/\s*\n\s*/g, ' ')}]`);
    this.output(compact);
  }
}

/** Shortens tokens: their first characters are enough to recognise them. */
function shortened(text) {
  if (text.length <= SHOWN || text.includes(' ') || text.startsWith('otpauth:')) return text;
  return `${text.slice(0, KEPT)}… (${text.length} characters)`;
}

function styled(format, text) {
  return styleText(format, text, { stream: process.stdout });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
