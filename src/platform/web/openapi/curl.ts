import { type Content, type OpenApiDocument, type Operations, resolved } from './document.js';
import { exampleOf } from './example.js';

const JAR = 'cookies.txt';

/** An example request for a shell; values that only the caller knows are variables. */
export function curlExample(document: OpenApiDocument, { method, path, operation }: Operations[number]): string {
  const { requestBody, security, responses } = operation;
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const [good] = Object.values(responses);
  const { headers = {}, content = {} } = good ? resolved(document, good) : {};
  const isFile = Object.keys(content).some((type) => type.startsWith('image/'));
  const parts = [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$BASE${target}"`,
    ...security
      .flatMap((requirement) => Object.keys(requirement))
      .slice(0, 1)
      .map((name) => shown(document, name)),
    ...('Set-Cookie' in headers ? [`-c ${JAR}`] : []),
    ...(requestBody ? bodyOf(requestBody.content) : []),
    ...(isFile ? ['-O'] : []),
  ];
  return parts.join(' \\\n  ');
}

/** Arguments of curl for a security scheme. */
function shown({ components }: OpenApiDocument, name: string): string {
  const scheme = components.securitySchemes[name];
  if (scheme?.type === 'apiKey') return `-b ${JAR}`;
  return scheme?.scheme === 'basic' ? '-u "$CLIENT:$SECRET"' : '-H "authorization: Bearer $TOKEN"';
}

function bodyOf(content: Content): readonly string[] {
  return Object.entries(content).flatMap(([type, { schema = {} }]) => {
    const names = schema.required ?? [];
    switch (type) {
      case 'multipart/form-data':
        return (names.length === 0 ? Object.keys(schema.properties ?? {}) : names).map((name) => `-F ${name}=@file`);
      case 'application/x-www-form-urlencoded':
        return names.map((name) => `-d ${name}=...`);
      default:
        return [`-H 'content-type: ${type}'`, `-d '${JSON.stringify(exampleOf(schema))}'`];
    }
  });
}
