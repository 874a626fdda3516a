import {
  type Charset,
  CharsetRejection,
  charsetNamed,
  charsetOf,
  isUtf8Name,
  jsonIn,
  UTF_8,
} from '../../../kernel/encoding/charset.js';
import { EncodingProperties } from './json.properties.js';

/** An encoded text and its content type. */
export interface EncodedText {
  readonly type: string;
  readonly body: string | Buffer;
}

/** Character sets of request bodies and responses (`server.servlet.encoding.*`). */
export class Encoding {
  private readonly charset: Charset;
  private readonly name: string;
  private readonly force: boolean | undefined;

  constructor({ charset, force }: EncodingProperties = new EncodingProperties()) {
    this.charset = charsetNamed(charset);
    this.name = this.charset === UTF_8 ? 'UTF-8' : charset;
    this.force = force;
  }

  /** Character set of a request body with this `Content-Type`; undefined if it would be misread. */
  ofRequest(contentType: string | undefined): Charset | undefined {
    const declared = charsetStatedIn(contentType);
    if (this.force === true || declared === undefined) return this.charset;
    // An unauthenticated caller cannot cause character tables to be loaded that are not used.
    if (this.force === undefined && this.charset === UTF_8) return isUtf8Name(declared) ? UTF_8 : undefined;
    const charset = charsetOf(declared);
    if (charset instanceof CharsetRejection) return undefined;
    return this.force === false || charset === this.charset ? charset : undefined;
  }

  /** The `Content-Type` of a JSON response; it names the character set only if that is forced (RFC 8259 section 11). */
  jsonType(type: string): string {
    return this.force === true ? this.named(type) : type;
  }

  /** JSON that reads the same in UTF-8 and in the configured character set. */
  json(text: string): string {
    return jsonIn(this.charset, text);
  }

  /**
   * Encodes a text of a `text/*` type. If its type states a character set, that one applies unless another is forced.
   */
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
