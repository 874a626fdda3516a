import speakeasy from 'speakeasy';

const PERIOD = 30;
const DIGITS = 6;

/** The content of an otpauth URI, parsed as authenticator apps parse it. */
export interface ScannedLabel {
  readonly issuer: string;
  readonly account: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** An authenticator app that computes codes with another implementation than the service. */
export class AuthenticatorApp {
  private constructor(
    readonly secret: string,
    readonly label: ScannedLabel,
  ) {}

  /** Reads the URI of the QR code. */
  static scan(otpauthUri: string): AuthenticatorApp {
    const uri = new URL(otpauthUri);
    const [issuer = '', ...rest] = uri.pathname.replace(/^\//, '').split(':');
    const parameters = Object.fromEntries(uri.searchParams);
    const label = { issuer: decodeURIComponent(issuer), account: decodeURIComponent(rest.join(':')), parameters };
    return new AuthenticatorApp(parameters['secret'] ?? '', label);
  }

  /** Reads a secret that a user types in, also in groups. */
  static typeIn(secret: string): AuthenticatorApp {
    return new AuthenticatorApp(secret.replaceAll(/\s/g, '').toUpperCase(), {
      issuer: '',
      account: '',
      parameters: {},
    });
  }

  /** The code shown at `seconds` since 1970, or that many steps later. */
  codeAt(seconds: number, stepsLater = 0): string {
    const counter = Math.floor(seconds / PERIOD) + stepsLater;
    return speakeasy.hotp({ secret: this.secret, encoding: 'base32', counter, digits: DIGITS });
  }

  /** A code of six digits that is wrong now and within the given number of steps; each `variant` is another code. */
  wrongCodeAt(seconds: number, variant = 0, within = 6): string {
    const right = new Set(Array.from({ length: 2 * within + 1 }, (_, index) => this.codeAt(seconds, index - within)));
    const start = 100_000 + variant * 37;
    for (let candidate = start; ; candidate += 1_000) {
      const code = String(candidate % 1_000_000).padStart(DIGITS, '0');
      if (!right.has(code)) return code;
    }
  }
}
