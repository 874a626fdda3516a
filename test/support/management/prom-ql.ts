/** A metric that a query reads. */
export interface Selector {
  readonly name: string;
  /** Names of the labels in its selector. */
  readonly labels: readonly string[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[a-z_:][\w:]*|\d[\w.]*|=~|!~|!=|[^\s\w]/giy;
const WORD = /^[a-z_:]/i;
const OPERATORS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);
const LABEL_LISTS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);

/** The selectors of a query, for the subset of PromQL that the dashboard and the alerts use. */
export function selectorsOf(query: string): readonly Selector[] {
  const tokens = tokensOf(query);
  const selectors: Selector[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [token = '', next = ''] = tokens.slice(at);
    if (LABEL_LISTS.has(token)) {
      at = tokens.indexOf(')', at);
    } else if (WORD.test(token) && !OPERATORS.has(token) && next !== '(' && !LABEL_LISTS.has(next)) {
      const end = next === '{' ? tokens.indexOf('}', at) : at;
      const inside = tokens.slice(at + 1, end);
      selectors.push({
        name: token,
        labels: inside.filter((one, place) => WORD.test(one) && isMatched(inside, place)),
      });
      at = end;
    }
  }
  return selectors;
}

function isMatched(tokens: readonly string[], place: number): boolean {
  return ['=', '=~', '!=', '!~'].includes(tokens[place + 1] ?? '');
}

function tokensOf(query: string): readonly string[] {
  const tokens = Array.from(
    query.trim().matchAll(new RegExp(`\\s*(${TOKEN.source})`, TOKEN.flags)),
    ([, one]) => one ?? '',
  );
  const length = tokens.join('').length;
  if (length !== query.replaceAll(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '').length)
    throw new Error(`cannot read ${query}`);
  return tokens.filter((token) => !token.startsWith('['));
}
