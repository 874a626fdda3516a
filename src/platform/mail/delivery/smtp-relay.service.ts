import { connect, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Injectable } from '@nestjs/common';
import type { Mail, SMTPPoolOptions, SMTPPoolSentMessageInfo } from 'nodemailer';
import type { ComposedMail } from '../mail-message.js';
import { Loggers } from '../../../observability/logging/loggers.js';
import type { ClientTls } from '../../tls/client-tls.js';
import { MailRetries } from './mail-retries.service.js';
import { MailSender } from '../mail-sender.service.js';
import { MailProperties } from '../mail.properties.js';
import { RelayState } from './relay-state.js';
import { RelayTls } from './relay-tls.service.js';
import { InvalidAddress } from './smtp-failure.js';

/** Identity of a mail, the same in every attempt to send it. */
export interface MailIdentity {
  readonly id: string;
  readonly messageId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Identifies a repeated notice also where a relay replaces `Message-ID`. */
const NOTICE_ID_HEADER = 'X-Login-Notice-Id';
const IDLE_MILLIS = 30_000;
/** One address without characters that have a meaning in a command or in a list of addresses. */
const ADDRESS = /^[^\s@\p{Cc}\p{Cf}<>"(),:;\\[\]]{1,64}@[^\s@\p{Cc}\p{Cf}<>"(),:;\\[\]]{1,255}$/u;

type Transport = Mail<SMTPPoolSentMessageInfo, SMTPPoolOptions>;

/** The connections to the SMTP relay; none is opened before the first mail. */
@Injectable()
export class SmtpRelay {
  /** Tells whether the relay accepts mail; the dispatch updates it after each attempt. */
  readonly state: RelayState;
  private transport: Promise<Transport> | undefined;
  /** Transports from before a reload of the certificate bundle; they finish their mails and then close. */
  private readonly retired: Promise<Transport>[] = [];
  private tls: Promise<ClientTls | undefined> | undefined;

  constructor(
    private readonly properties: MailProperties,
    private readonly sender: MailSender,
    private readonly relayTls: RelayTls,
    retries: MailRetries,
    loggers: Loggers,
  ) {
    this.state = new RelayState((failures) => retries.pauseAfter(failures), loggers.get('mail'));
  }

  /** Aborted at the end of the time to send one mail, or by `stopping`. */
  timeLimit(stopping: AbortSignal): AbortSignal {
    return AbortSignal.any([stopping, AbortSignal.timeout(this.properties.sendTimeout.milliseconds)]);
  }

  /** Resolves once the relay has accepted the mail. @throws Error, see `smtpFailureOf`, also if `signal` is aborted */
  async send(
    { to, language, subject, text, html }: ComposedMail,
    identity: MailIdentity,
    signal: AbortSignal,
  ): Promise<void> {
    // Nodemailer reads a list of addresses from a text.
    if (!ADDRESS.test(to)) throw new InvalidAddress('the address of a mail is invalid');
    const { name, address } = this.sender;
    const transport = await this.opened();
    await transport.sendMail({
      from: { name, address },
      // Passes the address as an object, so that no text in it is read as a further recipient.
      to: { name: '', address: to },
      envelope: { from: address, to },
      subject,
      text,
      ...(html !== undefined && { html }),
      messageId: identity.messageId,
      date: new Date(identity.createdAt),
      headers: {
        // Prevents automatic replies to a notice (RFC 3834 section 5).
        'Auto-Submitted': 'auto-generated',
        'Content-Language': language,
        [NOTICE_ID_HEADER]: identity.id,
      },
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    });
  }

  /** Resolves if the relay accepts a connection and the credentials. @throws Error, see `smtpFailureOf` */
  async verify(signal: AbortSignal): Promise<void> {
    const transport = await this.opened();
    // Nodemailer ends a verification by its own time-outs only.
    await Promise.race([transport.verify(), rejectedOn(signal)]);
  }

  /** TLS of a connection to the relay. @throws ConfigurationFailure if the certificate bundle cannot be used */
  async tlsOptions(): Promise<ConnectionOptions> {
    const opening = (this.tls ??= this.relayTls.open(() => {
      this.retire();
    }));
    try {
      return (await opening)?.options ?? { minVersion: 'TLSv1.2' };
    } catch (error) {
      // The next mail, or the next check of health, reads the certificate bundle again.
      if (this.tls === opening) this.tls = undefined;
      throw error;
    }
  }

  /** Closes all connections, also those that are sending. */
  async close(): Promise<void> {
    this.retire();
    const tls = this.tls;
    this.tls = undefined;
    (await tls?.catch(() => undefined))?.close();
    for (const transport of this.retired.splice(0)) (await transport.catch(() => undefined))?.close({ force: true });
  }

  private async opened(): Promise<Transport> {
    const opening = (this.transport ??= this.open());
    try {
      return await opening;
    } catch (error) {
      if (this.transport === opening) this.transport = undefined;
      throw error;
    }
  }

  private async open(): Promise<Transport> {
    const tls = await this.tlsOptions();
    // Only a service that sends mails loads it.
    const { createTransport } = await import('nodemailer');
    return createTransport(optionsOf(this.properties, tls));
  }

  /** Retires the transport; the next mail opens a new one. */
  private retire(): void {
    if (this.transport) this.retired.push(this.transport);
    this.transport = undefined;
  }
}

function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}

function optionsOf(properties: MailProperties, tls: ConnectionOptions): SMTPPoolOptions & { pool: true } {
  const { host = '', port, username: user, password: pass, encryption, rateLimit, ehloName } = properties;
  const connectMillis = properties.connectTimeout.milliseconds;
  return {
    pool: true,
    host,
    port,
    ...(ehloName !== undefined && { name: ehloName }),
    // Nodemailer would ask DNS servers itself, past the system's resolver and `/etc/hosts`.
    getSocket: (_, done) => {
      openSocket(host, port, connectMillis, done);
    },
    ...(user !== undefined && pass !== undefined && { auth: { user, pass } }),
    secure: encryption === 'implicit',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    tls,
    dnsTimeout: connectMillis,
    connectionTimeout: connectMillis,
    greetingTimeout: connectMillis,
    socketTimeout: properties.responseTimeout.milliseconds,
    maxConnections: properties.poolSize,
    ...(rateLimit !== undefined && { rateLimit }),
    // The queue in the database repeats what failed.
    maxRequeues: 0,
    idleTimeout: IDLE_MILLIS,
  };
}

/** Calls `done` with a connected socket, or with the error after at most `limitMillis`. */
function openSocket(
  host: string,
  port: number,
  limitMillis: number,
  done: (error: Error | null, socket?: { readonly connection: Socket }) => void,
): void {
  const socket = connect({ host, port });
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('the relay did not accept a connection'), { code: 'ETIMEDOUT' }));
  }, limitMillis);
  const fail = (error: Error): void => {
    clearTimeout(timer);
    done(error);
  };
  socket.once('error', fail).once('connect', () => {
    clearTimeout(timer);
    socket.off('error', fail);
    done(null, { connection: socket });
  });
}
