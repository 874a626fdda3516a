/** One example for each free part of the specification's key names. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'app.ssl.bundle': 'app.ssl.bundle.pem.web.keystore.certificate',
};

const KEY = /^(?:-D)?((?:[a-z]+|\.)[\w.<>-]*)/;
const PROSE_KEY = /`(?:-D)?((?:app|server|management|logging|mapper|user)\.[a-z][\w.<>-]*)/g;

/** Every key the text names, by its name there, with a concrete example of it. */
export function keysOfSpecification(markdown: string): ReadonlyMap<string, string> {
  const names = new Set<string>();
  let isKeyTable = false;
  for (const line of markdown.split('\n')) {
    const [, first, second] = line.split('|').map((cell) => cell.trim());
    if (first === undefined) {
      for (const [, name] of line.matchAll(PROSE_KEY)) if (name !== undefined) names.add(name);
    } else if (second === 'Meaning' || second === 'Source') {
      isKeyTable = second === 'Meaning';
    } else if (isKeyTable) {
      for (const name of keysOfCell(first)) names.add(name);
    }
  }
  return new Map(Array.from(names, (name) => [name, EXAMPLES[name] ?? name.replaceAll(/<[^>]*>/g, 'sample')]));
}

/** `.port` after `app.mail.host` means `app.mail.port`; other texts in backticks (`---`) are skipped. */
function keysOfCell(cell: string): readonly string[] {
  const names: string[] = [];
  for (const [, text = ''] of cell.matchAll(/`([^`]+)`/g)) {
    const name = KEY.exec(text)?.[1];
    if (name === undefined) continue;
    names.push(name.startsWith('.') ? `${(names.at(-1) ?? '').replace(/\.[^.]*$/, '')}${name}` : name);
  }
  return names;
}
