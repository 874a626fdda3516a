import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';
import type { Engine } from '../database/story-database.js';
import { waitUntil } from '../runner/wait-until.js';

/** A mail that the relay accepted. */
export interface ReceivedMail {
  readonly to: string;
  /** The whole message, decoded. */
  readonly text: string;
}

/** A real SMTP relay, which keeps the mails that it accepts. */
export class Mailbox {
  readonly mails: ReceivedMail[] = [];
  private readonly server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, { envelope }, done) => {
      text(stream).then(
        (message) => {
          for (const { address: to } of envelope.rcptTo) this.mails.push({ to, text: decoded(message) });
          done();
        },
        (error: unknown) => {
          done(error instanceof Error ? error : new Error(String(error)));
        },
      );
    },
  });

  /** Arguments of a service that sends its mails here. */
  get args(): readonly string[] {
    const { port } = this.server.server.address() as AddressInfo;
    return ['--app.mail.host=127.0.0.1', `--app.mail.port=${port}`, '--app.mail.poll-interval=50ms'];
  }

  open(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.server.on('error', reject);
      this.server.listen(0, '127.0.0.1', () => {
        resolve(this);
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  /** Waits for the mail of that number to an address with a text. */
  mailTo(address: string, content = '', number = 1): Promise<ReceivedMail> {
    return waitUntil(`mail ${number} to ${address} has arrived`, () => this.allTo(address, content)[number - 1]);
  }

  allTo(address: string, content = ''): readonly ReceivedMail[] {
    return this.mails.filter(({ to, text }) => to === address && text.includes(content));
  }
}

/** A relay for the tests of each engine, open until the end of the test file. */
export async function openMailboxes(): Promise<Readonly<Record<Engine['name'], Mailbox>>> {
  const names = ['SQLite', 'MariaDB', 'Galera'] as const;
  const opened = await Promise.all(names.map(async (name) => [name, await new Mailbox().open()] as const));
  const mailboxes = Object.fromEntries(opened) as Record<Engine['name'], Mailbox>;
  afterAll(() => Promise.all(Object.values(mailboxes).map((mailbox) => mailbox.close())));
  return mailboxes;
}

/** Decodes a message, or the parts of one (RFC 2045 section 6, RFC 2046 section 5.1). */
function decoded(message: string): string {
  const end = message.indexOf('\r\n\r\n');
  const [head, body] = [message.slice(0, end), message.slice(end + 4)];
  const [, boundary] = /boundary="?([^"\s;]+)/i.exec(head) ?? [];
  if (boundary !== undefined) {
    const parts = body.split(`--${boundary}`).slice(1, -1);
    return [head, ...parts.map((part) => decoded(part.trimStart()))].join('\r\n\r\n');
  }
  const [, encoding = ''] = /^content-transfer-encoding: *(\S+)/im.exec(head) ?? [];
  return `${head}\r\n\r\n${decodedBody(body, encoding.toLowerCase())}`;
}

function decodedBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const octets = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString();
}
