import { readFileSync } from 'node:fs';
import { accentColors } from '../../branding/accent-color.js';
import type { BrandingProperties } from '../../branding/branding.properties.js';
import { type Logo, readLogo, shortHash } from '../../branding/logo.js';

/** A file that pages load. */
export interface Asset {
  readonly mediaType: string;
  readonly content: string | Buffer;
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const SVG = 'image/svg+xml';

/** The files that pages load: stylesheet, scripts, icon and logo. Their names change with their content. */
export class PageAssets {
  readonly styleName: string;
  readonly scriptName: string;
  readonly previewScriptName: string;
  readonly passkeyScriptName: string;
  readonly strengthScriptName: string;
  readonly iconName: string;
  readonly logoName: string | undefined;
  private readonly assets: ReadonlyMap<string, Asset>;

  /** @throws LogoProblem */
  constructor({ accentColor, logo: logoPath }: Pick<BrandingProperties, 'accentColor' | 'logo'>) {
    const style = variables(accentColor) + resource('portal.css');
    const script = resource('portal.js');
    const previewScript = resource('preview.js');
    const passkeyScript = resource('passkey.js');
    const strengthScript = resource('strength.js');
    const icon = iconOf(accentColor);
    const logo: Logo | undefined = logoPath === undefined ? undefined : readLogo(logoPath);
    this.styleName = `portal-${shortHash(style)}.css`;
    this.scriptName = `portal-${shortHash(script)}.js`;
    this.previewScriptName = `preview-${shortHash(previewScript)}.js`;
    this.passkeyScriptName = `passkey-${shortHash(passkeyScript)}.js`;
    this.strengthScriptName = `strength-${shortHash(strengthScript)}.js`;
    this.iconName = `icon-${shortHash(icon)}.svg`;
    this.logoName = logo?.name;
    this.assets = new Map<string, Asset>([
      [this.styleName, { mediaType: CSS, content: style }],
      [this.scriptName, { mediaType: SCRIPT, content: script }],
      [this.previewScriptName, { mediaType: SCRIPT, content: previewScript }],
      [this.passkeyScriptName, { mediaType: SCRIPT, content: passkeyScript }],
      [this.strengthScriptName, { mediaType: SCRIPT, content: strengthScript }],
      [this.iconName, { mediaType: SVG, content: icon }],
      ...(logo ? [[logo.name, { mediaType: logo.mediaType, content: logo.bytes }] as const] : []),
    ]);
  }

  /** The icon of the pages. */
  get icon(): Asset {
    return { mediaType: SVG, content: this.assets.get(this.iconName)?.content ?? '' };
  }

  /** The asset of this name. */
  find(name: string): Asset | undefined {
    return this.assets.get(name);
  }

  /**
   * The asset that has this name but for the part that changes with its content: during an upgrade, a page of one version
   * may request the stylesheet from a replica with another version.
   */
  findOtherVersion(name: string): Asset | undefined {
    const plain = withoutHash(name);
    const known = [...this.assets.keys()].find((each) => withoutHash(each) === plain);
    return known === undefined ? undefined : this.assets.get(known);
  }
}

function withoutHash(name: string): string {
  return name.replace(/-[\w-]{12}(?=\.\w+$)/, '');
}

/** Lines that are a comment, and the indentation of the others; no text of these files spans lines. */
const NEEDLESS = /^[^\S\n]*(?:\/\/.*|\/\*.*\*\/)?\n|^[^\S\n]+/gm;

/** A file of the pages, without what browsers do not need. */
function resource(name: string): string {
  const text = readFileSync(new URL(`../../../resources/pages/${name}`, import.meta.url), 'utf8');
  return text.replace(NEEDLESS, '');
}

function variables(accentColor: string): string {
  const { accent, onAccent, onLight, onDark } = accentColors(accentColor);
  return `:root{--accent:${accent};--on-accent:${onAccent};--accent-on-light:${onLight};--accent-on-dark:${onDark}}\n`;
}

/** A keyhole in the accent colour. */
function iconOf(accentColor: string): string {
  const { accent, onAccent } = accentColors(accentColor);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${accent}"/>\
<path fill="${onAccent}" d="M16 7a5 5 0 0 0-2.4 9.4L12.2 25h7.6l-1.4-8.6A5 5 0 0 0 16 7z"/></svg>\n`;
}
