import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { Complaint } from './complaint.mjs';

const ARRIVAL_LIMIT_MILLIS = 20_000;
const POLL_MILLIS = 100;

/** A mail relay on the loopback address that keeps what it accepts. */
export class Mailbox {
  #mails = [];
  #server;

  static async start() {
    const mailbox = new Mailbox();
    mailbox.#server.listen(0, '127.0.0.1');
    await once(mailbox.#server.server, 'listening');
    return mailbox;
  }

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        buffer(stream).then((raw) => {
          this.#mails.push({ to, html: htmlOf(raw.toString('latin1')) });
          done();
        }, done);
      },
    });
  }

  /** Options of a service that mails to this relay. */
  get settings() {
    const { port } = this.#server.server.address();
    return ['--app.mail.host=127.0.0.1', `--app.mail.port=${port}`, '--app.mail.poll-interval=100ms'];
  }

  /** The HTML of the next mail to an address that matches a pattern, which it also returns as `match`. */
  async next(address, pattern) {
    for (let waited = 0; waited < ARRIVAL_LIMIT_MILLIS; waited += POLL_MILLIS) {
      for (const { to, html } of this.#mails) {
        const match = pattern.exec(html);
        if (to.includes(address) && match) return { html, match };
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
    }
    throw new Complaint(`No mail to ${address} matched ${pattern}.`);
  }

  stop() {
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The HTML part of a mail. */
function htmlOf(raw) {
  const part = raw.slice(raw.search(/^content-type: text\/html/im));
  const [head, ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n').replace(/\r\n--.*$/s, '');
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
