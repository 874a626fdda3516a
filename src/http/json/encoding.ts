import {
  type Charset,
  CharsetFault,
  charsetNamed,
  charsetOf,
  isUtf8Name,
  jsonIn,
  UTF_8,
} from '../../encoding/charset.js';
import { EncodingProperties } from './json.properties.js';

/** A text as it goes out. */
export interface EncodedText {
  readonly type: string;
  readonly body: string | Buffer;
}

/** What `server.servlet.encoding.*` makes of request bodies and answers. */
export class Encoding {
  private readonly charset: Charset;
  private readonly name: string;
  private readonly force: boolean | undefined;

  constructor({ charset, force }: EncodingProperties = new EncodingProperties()) {
    this.charset = charsetNamed(charset);
    this.name = this.charset === UTF_8 ? 'UTF-8' : charset;
    this.force = force;
  }

  /** Of a request body with that `Content-Type`; undefined where the body says that it would be misread. */
  ofRequest(contentType: string | undefined): Charset | undefined {
    const stated = charsetStatedIn(contentType);
    if (this.force === true || stated === undefined) return this.charset;
    // A stranger loads no table that will not be used.
    if (this.force === undefined && this.charset === UTF_8) return isUtf8Name(stated) ? UTF_8 : undefined;
    const charset = charsetOf(stated);
    if (charset instanceof CharsetFault) return undefined;
    return this.force === false || charset === this.charset ? charset : undefined;
  }

  /** The `Content-Type` of a JSON answer, which says the character set only where that is forced (RFC 8259 section 11). */
  jsonType(type: string): string {
    return this.force === true ? this.named(type) : type;
  }

  /** JSON that is right in UTF-8 and in the character set alike. */
  json(text: string): string {
    return jsonIn(this.charset, text);
  }

  /** Text of a `text/*` type; one that states its character set keeps it unless another is forced, and is UTF-8. */
  text(type: string, body: string): EncodedText {
    if (this.force !== true && charsetStatedIn(type) !== undefined) return { type, body };
    return { type: this.named(type), body: this.charset === UTF_8 ? body : this.charset.encode(body) };
  }

  private named(type: string): string {
    return `${type.replace(/;.*$/s, '').trim()};charset=${this.name}`;
  }
}

function charsetStatedIn(contentType = ''): string | undefined {
  return /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
}
