import { curlExample } from './curl.js';
import { DOCS_STYLE } from './docs-style.js';
import { type OpenApiDocument, type Operations, operationsOf, type ResponseObject, resolved } from './document.js';
import type { Content, OperationObject, Parameter } from './document.js';
import { inlineCode, Html, html, paragraphs } from '../../../kernel/encoding/html.js';
import { htmlDocument } from '../../http/page/layout.js';
import { outline } from './outline.js';

type Entry = Operations[number];

/** The OpenAPI document as one page without script; each operation has its `operationId` as anchor. */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const entries = operationsOf(document);
  const chapters = tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return htmlDocument(
    html`<title>${info.title}: interface</title>
<style>${new Html(DOCS_STYLE)}</style>
`,
    html`<header>
<h1>${info.title}</h1>
${paragraphs(info.description)}
<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI ${document.openapi}). The examples take the address of
the service from a variable, such as <code>BASE=${baseOf(document)}</code>.</p>
</header>
<nav aria-label="Contents">
${chapters.map(contents)}
</nav>
<main>
${chapters.map(
  ({ name, description, entries: own }) =>
    html`<section>
<h2>${name}</h2>
${paragraphs(description)}${own.map((entry) => article(document, entry))}
</section>
`,
)}<section>
<h2>How callers show who they are</h2>
<ul>
${Object.entries(components.securitySchemes).map(
  ([name, { description }]) =>
    html`<li id="scheme-${name}"><code>${name}</code> ${inlineCode(description ?? '')}</li>
`,
)}</ul>
</section>
${Object.entries(components.schemas).map(
  ([name, schema]) =>
    html`<section id="schema-${name}">
<h2>${name}</h2>
${paragraphs(schema.description)}${outline(schema)}
</section>
`,
)}</main>
`,
  );
}

/** Base URL for examples; localhost if the service has no public URL. */
function baseOf({ servers }: OpenApiDocument): string {
  const { url = '' } = servers[0] ?? {};
  return (url.startsWith('/') ? `http://localhost:8080${url}` : url).replace(/\/$/, '');
}

function contents({ name, entries }: { readonly name: string; readonly entries: readonly Entry[] }): Html {
  return html`<h2>${name}</h2>
<ul>
${entries.map(
  (entry) =>
    html`<li><a href="#${entry.operation.operationId}">${target(entry)}</a> ${entry.operation.summary}</li>
`,
)}</ul>
`;
}

function target({ method, path }: Entry): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>`;
}

function article(document: OpenApiDocument, entry: Entry): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = entry.operation;
  return html`<article id="${operationId}">
<h3><a href="#${operationId}">${target(entry)}</a></h3>
<p><strong>${summary}.</strong></p>
${paragraphs(description)}${callers(entry.operation)}
${parameters.length > 0 ? html`<h4>Parameters</h4><ul>${parameters.map(parameter)}</ul>` : ''}
${requestBody && html`<h4>Request</h4>${bodies(requestBody.content)}`}
<h4>Answers</h4>
<dl>
${Object.entries(responses).map(([status, response]) => answer(status, resolved(document, response)))}</dl>
<h4>Example</h4>
<pre><code>${curlExample(document, entry)}</code></pre>
</article>
`;
}

function callers({ security }: OperationObject): Html {
  const names = security.flatMap((requirement) => Object.keys(requirement));
  if (names.length === 0) return html`<p class="quiet">Open to everybody.</p>`;
  const links = names.map((name, index) => html`${index > 0 ? ' or ' : ''}<a href="#scheme-${name}">${name}</a>`);
  const isOptional = security.some((requirement) => Object.keys(requirement).length === 0);
  return html`<p class="quiet">${isOptional ? 'Open to everybody; looks at ' : 'Callers show '}${links}.</p>`;
}

function parameter({ name, in: place, required, description, schema }: Parameter): Html {
  const text = description === undefined ? '' : html` ${inlineCode(description)}`;
  const standard = schema.default === undefined ? '' : `, which is ${JSON.stringify(schema.default)} then`;
  const optional = required ? '' : html` <em class="quiet">may be left out${standard}</em>`;
  return html`<li><code>${name}</code> <span class="quiet">in the ${place}:</span> ${outline(schema)}${optional}${text}</li>`;
}

function bodies(content: Content): Html {
  const forms = Object.entries(content).map(([type, { schema }]) => {
    const shape = schema === undefined || schema.type === 'string' ? '' : outline(schema);
    return html`<div><code>${type}</code> ${shape}</div>`;
  });
  return html`${forms}`;
}

function answer(status: string, { description, headers = {}, content = {} }: ResponseObject): Html {
  const isProblem = Object.values(content).some(({ schema }) => schema?.$ref !== undefined);
  const cookies = headers['Set-Cookie'];
  const sets = cookies && 'description' in cookies ? html`. Sets the cookies ${inlineCode(cookies.description)}.` : '';
  const body = isProblem ? html` <a href="#schema-Problem">Problem</a>` : bodies(content);
  return html`<dt>${status === 'default' ? 'else' : status}</dt><dd>${inlineCode(description)}${sets}${body}</dd>
`;
}
