import { readFileSync } from 'node:fs';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import type { MadeCertificate } from '../http/certificates.js';
import { listenAt } from '../programs/free-port.js';
import { mimePartsOf } from './mime.js';
import { waitUntil } from '../runner/wait-until.js';

/** A mail that the relay accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The raw lines of the header, unfolded. */
  readonly header: readonly string[];
  readonly messageId: string;
  readonly noticeId: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  /** The name with which the client introduced itself. */
  readonly ehloName: string;
}

/**
 * What the relay does with mails: `hang` accepts the connection and the mail, and responds to neither; `drop` closes the
 * connection in the middle of the mail; a number is the response to the mail or to the recipient.
 */
export type RelayMood = 'accept' | 'hang' | 'drop' | { readonly at: 'recipient' | 'mail'; readonly code: number };

export interface SmtpRelayOptions {
  /** 0 chooses a free port. */
  readonly port?: number;
  readonly password?: string;
  /** Offers STARTTLS. */
  readonly certificate?: MadeCertificate;
  /** Speaks TLS from the first byte. */
  readonly isImplicit?: boolean;
  /** The authority of the certificates that clients must have. */
  readonly clients?: MadeCertificate;
}

/** A real SMTP server on the loopback address that keeps what it accepts. */
export class SmtpRelayServer {
  readonly received: ReceivedMail[] = [];
  mood: RelayMood = 'accept';
  /** Called before the relay responds to a mail that it has kept. */
  onMail: ((mail: ReceivedMail) => Promise<void> | void) | undefined;
  connections = 0;
  /** For each password that arrived: whether the connection was encrypted. */
  readonly passwords: boolean[] = [];
  /** The name in the certificate of each client that authenticated. */
  readonly clients: string[] = [];
  private server: SMTPServer | undefined;
  private port: number;

  private constructor(private readonly options: SmtpRelayOptions) {
    this.port = options.port ?? 0;
  }

  static async start(options: SmtpRelayOptions = {}): Promise<SmtpRelayServer> {
    const relay = new SmtpRelayServer(options);
    await relay.start();
    return relay;
  }

  get args(): readonly string[] {
    return ['--app.mail.host=127.0.0.1', `--app.mail.port=${this.port}`];
  }

  get address(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  /** Starts again on the same port. */
  async start(): Promise<void> {
    const { password, certificate, isImplicit = false, clients } = this.options;
    const server = new SMTPServer({
      secure: isImplicit,
      authOptional: password === undefined,
      disabledCommands: [...(password === undefined ? ['AUTH'] : []), ...(certificate ? [] : ['STARTTLS'])],
      // A client must protect its password by itself.
      allowInsecureAuth: true,
      ...(certificate && { cert: certificate.pem, key: readFileSync(certificate.key) }),
      ...(clients && { ca: clients.pem, requestCert: true, rejectUnauthorized: true }),
      onSecure: (socket, _, respond) => {
        // Empty without a certificate.
        const { subject } = (socket as TLSSocket).getPeerCertificate() as Partial<PeerCertificate>;
        if (subject) this.clients.push(String(subject.CN));
        respond();
      },
      disableReverseLookup: true,
      closeTimeout: 50,
      onConnect: (_, respond) => {
        this.connections += 1;
        respond();
      },
      onAuth: ({ username, password: given }, { secure }, respond) => {
        this.passwords.push(secure);
        if (given === password) respond(null, { user: username ?? '' });
        else respond(withCode(535));
      },
      onRcptTo: (_, __, respond) => {
        const { mood } = this;
        respond(typeof mood === 'object' && mood.at === 'recipient' ? withCode(mood.code) : null);
      },
      onData: (stream, session, respond) => {
        const chunks: Buffer[] = [];
        const { mood } = this;
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
        });
        if (mood === 'drop') {
          for (const connection of server.connections) if (connection.session === session) connection.close();
          stream.resume();
          return;
        }
        stream.on('end', () => {
          if (mood === 'hang') return;
          if (typeof mood === 'object') {
            respond(withCode(mood.code));
            return;
          }
          const { envelope, secure } = session;
          const raw = Buffer.concat(chunks).toString('latin1');
          const mail: ReceivedMail = {
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            isEncrypted: secure,
            user: session.user as string | undefined,
            ehloName: session.hostNameAppearsAs,
            ...mimePartsOf(raw),
          };
          this.received.push(mail);
          void Promise.resolve(this.onMail?.(mail)).then(() => {
            respond(null, 'accepted');
          });
        });
      },
    });
    // A client that goes away is no failure of a test.
    server.on('error', () => undefined);
    this.port = await listenAt(this.port, server.server);
    this.server = server;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (!server) return;
    for (const connection of server.connections) connection.close();
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
  }

  /** The mails to an address, once there are `count` of them. */
  async mailsTo(address: string, count = 1, limitMillis = 30_000): Promise<readonly ReceivedMail[]> {
    const of = (): readonly ReceivedMail[] => this.received.filter(({ to }) => to.includes(address));
    return waitUntil(
      `${count} mails to ${address} have arrived, of ${JSON.stringify(this.received.map(({ to, subject }) => [to, subject]))}`,
      () => of().length >= count && of(),
      { limitMillis },
    );
  }
}

function withCode(responseCode: number): Error {
  return Object.assign(new Error('as the test wants it'), { responseCode });
}
