import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrandingProperties } from '../../branding/branding.properties.js';
import { BARE_POLICY, barePage } from './bare-page.js';
import type { ShownProblem } from './problem-page.js';
import { type Html, html } from '../../../kernel/encoding/html.js';
import { htmlDocument, refreshTo } from './layout.js';
import type { LayoutMessages, MessageCatalogue } from './message-catalogue.js';
import { PageAssets } from './page-assets.js';
import {
  chosenLanguage,
  inLanguage,
  LANGUAGE_COOKIE,
  languageCookie,
  localPath,
  requestedLanguage,
  withLanguage,
} from './page-language.js';
import type { PageContent, PageNeeds, View, ViewContext } from './view.js';

/** Look and language of pages; each option but the texts has a default. */
export interface PageOptions {
  readonly catalogue: MessageCatalogue;
  /** For users who have not chosen a language and whose browser prefers none of the catalogue. */
  readonly defaultLanguage?: string;
  readonly contextPath?: string;
  readonly branding?: BrandingProperties;
  /** IANA name of the zone of instants. */
  readonly timeZone?: string;
  /** Origins besides our own that a form may finally redirect to. */
  readonly returnOrigins?: readonly string[];
}

/** A rendered page. */
export interface RenderedPage {
  readonly body: string;
  /** Value of `Content-Security-Policy`. */
  readonly policy: string;
}

/** Renders views: language, layout, branding and Content-Security-Policy of every page. */
export class PageRenderer {
  private readonly options: Required<PageOptions>;
  private readonly assets: PageAssets;

  constructor(options: PageOptions) {
    this.options = {
      defaultLanguage: options.catalogue.languages[0],
      contextPath: '',
      branding: new BrandingProperties(),
      timeZone: 'UTC',
      returnOrigins: [],
      ...options,
    };
    this.assets = new PageAssets(this.options.branding);
  }

  /** Renders a page in the language of the request; a language that the query chooses is remembered in a cookie. */
  render(view: View, request: FastifyRequest, reply: FastifyReply): RenderedPage {
    const chosen = chosenLanguage(request, this.options.catalogue.languages);
    if (chosen !== undefined) this.remember(chosen, request, reply);
    const language = chosen ?? this.languageOf(request);
    return {
      body: this.document(view.compose(this.contextOf(language)), view.needs, language, request),
      policy: this.policyOf(view),
    };
  }

  /** Renders the error page of a path at the host of an application, which sets no cookie there. */
  renderBare(problem: ShownProblem, request: FastifyRequest): RenderedPage {
    return { body: barePage(problem, this.contextOf(this.languageOf(request))), policy: BARE_POLICY };
  }

  private languageOf({ headers }: FastifyRequest): string {
    const { catalogue, defaultLanguage } = this.options;
    return requestedLanguage(headers, catalogue.languages) ?? defaultLanguage;
  }

  private messagesOf(language: string): LayoutMessages {
    return this.options.catalogue.messagesOf(language);
  }

  private remember(language: string, { protocol }: FastifyRequest, reply: FastifyReply): void {
    const attributes = languageCookie(this.options.contextPath, protocol === 'https');
    void reply.setCookie(LANGUAGE_COOKIE, language, { ...attributes });
  }

  private contextOf(language: string): ViewContext {
    const { contextPath, branding, timeZone } = this.options;
    const t = this.messagesOf(language);
    const { name, helpUrl, helpContact } = branding;
    return {
      language,
      t,
      contextPath,
      brand: { name, helpUrl, helpContact },
      time: (epochSeconds) => timeElement(epochSeconds, t.tag, timeZone),
    };
  }

  /**
   * Content-Security-Policy of a page: no inline script or style; images may be data, for QR codes. Browsers apply
   * `form-action` to redirects after a form as well, so it names every origin that a form may end at.
   */
  private policyOf({ needs }: View): string {
    const { formTarget, imageOrigin } = needs;
    // Redirects may follow to origins that only the other side knows, but only from https to https.
    const targets = formTarget === undefined ? this.options.returnOrigins : [new URL(formTarget).protocol];
    return [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      ["img-src 'self' data:", ...(imageOrigin === undefined ? [] : [imageOrigin])].join(' '),
      ...(needs.previews || needs.passkeys || needs.newPassword ? ["connect-src 'self'"] : []),
      ["form-action 'self'", ...targets].join(' '),
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
  }

  private document(content: PageContent, needs: PageNeeds, language: string, request: FastifyRequest): string {
    const { address } = needs;
    const { contextPath, branding } = this.options;
    const { styleName, scriptName, iconName } = this.assets;
    const assets = `${contextPath}/assets`;
    const scripts = [scriptName, ...this.scriptsFor(needs)].map(
      (name) => html`<script src="${assets}/${name}" defer></script>
`,
    );
    const { title, head, body, navigation, hasSecretAddress = false } = content;
    // With the header policy no-referrer, browsers would send a form of ours with the origin `null`.
    const wholeHead = html`<meta name="referrer" content="${hasSecretAddress ? 'strict-origin' : 'same-origin'}">
<meta name="robots" content="noindex">
<title>${title === branding.name ? title : `${title} - ${branding.name}`}</title>
<link rel="icon" href="${assets}/${iconName}">
<link rel="stylesheet" href="${assets}/${styleName}">
${scripts}${head}${request.method === 'POST' ? this.history(request, needs) : undefined}`;
    const heading = html`<h1>${title}</h1>
${body}`;
    const wholeBody = navigation
      ? html`${this.header(navigation, language)}<main id="main">
${heading}</main>
`
      : html`<main>
${this.brand(`${contextPath}/`)}${heading}</main>
`;
    const kind = navigation ? 'wide' : 'card';
    return htmlDocument(
      wholeHead,
      html`${wholeBody}${this.footer(content, language, request, address)}`,
      this.messagesOf(language).tag,
      kind,
    );
  }

  private scriptsFor({ previews, passkeys, newPassword }: PageNeeds): readonly string[] {
    const { previewScriptName, passkeyScriptName, strengthScriptName } = this.assets;
    return [
      ...(previews ? [previewScriptName] : []),
      ...(passkeys ? [passkeyScriptName] : []),
      ...(newPassword ? [strengthScriptName] : []),
    ];
  }

  /**
   * In the response to a form: the address that the script puts in the place of the form. A browser without script requests it
   * at once, which has the same effect, if the page there shows all that this one does.
   */
  private history(request: FastifyRequest, { address, leadsOn = false }: PageNeeds): Html | undefined {
    const path = address ?? pageOf(request, this.options.contextPath);
    if (path === undefined) return undefined;
    const refresh =
      address === undefined || !leadsOn
        ? undefined
        : html`<noscript>${refreshTo(address)}</noscript>
`;
    return html`<meta name="page-address" content="${path}">
${refresh}`;
  }

  private brand(home: string): Html {
    const { contextPath, branding } = this.options;
    const { logoName, iconName } = this.assets;
    const logo = html`<img src="${contextPath}/assets/${logoName ?? iconName}" alt="">`;
    return html`<a class="brand" href="${home}">${logo}<span>${branding.name}</span></a>
`;
  }

  private header({ links, name, signOut }: NonNullable<PageContent['navigation']>, language: string): Html {
    const t = this.messagesOf(language);
    const items = links.map(
      ({ path, label, isCurrent }) =>
        html`<li><a href="${this.options.contextPath}${path}"${isCurrent ? html` aria-current="page"` : undefined}>${label}</a></li>
`,
    );
    const user =
      name === undefined
        ? undefined
        : html`<span class="user">${name}</span>
`;
    return html`<a class="skip" href="#main">${t.common.skip}</a>
<header><div>
${this.brand(`${this.options.contextPath}/`)}<nav aria-label="${t.common.navigation}"><ul>
${items}</ul></nav>
${user}${signOut}</div></header>
`;
  }

  private footer(
    { isShownOnce = false }: PageContent,
    language: string,
    request: FastifyRequest,
    address: string | undefined,
  ): Html {
    const { branding, catalogue } = this.options;
    const t = this.messagesOf(language);
    const help = branding.helpUrl === undefined ? [] : [[t.common.help, branding.helpUrl] as const];
    const links = [...help, ...branding.legalLinks].map(
      ([label, url]) => html`<li><a href="${url}">${label}</a></li>
`,
    );
    const contact =
      branding.helpContact === undefined
        ? undefined
        : html`<li><span>${branding.helpContact}</span></li>
`;
    const languages = catalogue.languages.map((each) => {
      const { languageName, tag } = this.messagesOf(each);
      return each === language
        ? html`<li><span lang="${tag}" aria-current="true">${languageName}</span></li>
`
        : html`<li><a rel="nofollow" lang="${tag}" hreflang="${tag}" href="${request.method !== 'POST' || address === undefined ? inLanguage(request, each, this.options.contextPath) : withLanguage(address, each)}">\
${languageName}</a></li>
`;
    });
    // A page that is shown once cannot be shown in another language.
    const choice = isShownOnce
      ? undefined
      : html`<ul aria-label="${t.common.language}">
${languages}</ul>
`;
    return html`<footer>
<ul>
${links}${contact}</ul>
${choice}</footer>
`;
  }
}

function timeElement(epochSeconds: number, tag: string, timeZone: string): Html {
  const instant = new Date(epochSeconds * 1000);
  const text = new Intl.DateTimeFormat(tag, {
    ...({ dateStyle: 'medium', timeStyle: 'short' } as const),
    timeZone,
  }).format(instant);
  return html`<time datetime="${instant.toISOString()}" data-local="">${text}${timeZone === 'UTC' ? ' UTC' : ''}</time>`;
}

/** The page at the path of a form; undefined if a GET finds none there. */
function pageOf(request: FastifyRequest, contextPath: string): string | undefined {
  const { url } = request.routeOptions;
  const hasPage = url !== undefined && request.server.hasRoute({ method: 'GET', url });
  return hasPage ? `${contextPath}${localPath(request.url)}` : undefined;
}
