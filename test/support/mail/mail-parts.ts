import { Duration } from '../../../src/config/bind/duration.js';
import { Configuration } from '../../../src/config/configuration.js';
import { type Clock, SystemClock } from '../../../src/kernel/clock/clock.js';
import { MailBacklog } from '../../../src/platform/mail/mail-backlog.service.js';
import { MailBacklogTask } from '../../../src/platform/mail/delivery/mail-backlog.task.js';
import { MailDelivery } from '../../../src/platform/mail/delivery/mail-delivery.task.js';
import { MailDispatch } from '../../../src/platform/mail/delivery/mail-dispatch.service.js';
import { MailMessageStore } from '../../../src/platform/mail/mail-message.store.js';
import { MailOutbox } from '../../../src/platform/mail/delivery/mail-outbox.service.js';
import { MailQueue } from '../../../src/platform/mail/mail-queue.service.js';
import { MailRetries } from '../../../src/platform/mail/delivery/mail-retries.service.js';
import { MailSender } from '../../../src/platform/mail/mail-sender.service.js';
import { MailTemplates } from '../../../src/platform/mail/mail-templates.service.js';
import { MailProperties, MailRetryProperties } from '../../../src/platform/mail/mail.properties.js';
import { RelayTls } from '../../../src/platform/mail/delivery/relay-tls.service.js';
import { SmtpRelay } from '../../../src/platform/mail/delivery/smtp-relay.service.js';
import { Meters } from '../../../src/observability/metrics/meters.js';
import type { UnitOfWork } from '../../../src/platform/persistence/unit-of-work.js';
import { SystemRandom } from '../../../src/kernel/random/random.js';
import type { ExecutionLimits } from '../../../src/platform/tasks/task-executor.js';
import { ScheduledTasks } from '../../../src/platform/tasks/scheduled-tasks.js';
import { reading } from '../../config/keys/situation.js';
import { CollectedLog } from '../programs/collected-log.js';
import { taskExecutor } from '../database/task-executor.js';

/** Settings that differ between tests; times are short, so that no test waits for a default. */
export interface MailPartsOptions {
  readonly properties?: Partial<MailProperties>;
  readonly retry?: Partial<MailRetryProperties>;
  readonly clock?: Clock;
  /** Keys of the bundle that `properties.sslBundle` names. */
  readonly bundle?: readonly string[];
  readonly limits?: Partial<ExecutionLimits>;
}

/** The delivery of mails of one replica, constructed on a real database. */
export interface MailParts {
  readonly queue: MailQueue;
  readonly templates: MailTemplates;
  readonly backlog: MailBacklog;
  readonly relay: SmtpRelay;
  readonly meters: Meters;
  readonly log: CollectedLog;
  start(): void;
  stop(): Promise<void>;
}

const millis = (value: number): Duration => Duration.ofMillis(value);

export function mailParts(work: UnitOfWork, options: MailPartsOptions = {}): MailParts {
  const { clock = new SystemClock() } = options;
  const properties = Object.assign(new MailProperties(), {
    connectTimeout: millis(4000),
    responseTimeout: millis(4000),
    sendTimeout: millis(6000),
    pollInterval: millis(50),
    ...options.properties,
  });
  const retry = Object.assign(new MailRetryProperties(), {
    firstDelay: millis(50),
    maxDelay: millis(200),
    ...options.retry,
  });
  const [random, meters, log] = [new SystemRandom(), new Meters(), new CollectedLog()];
  const [store, templates] = [new MailMessageStore(), new MailTemplates(log.loggers)];
  const sender = new MailSender(properties, { publicUrl: 'https://login.example.com/app' });
  const queue = new MailQueue(store, clock, random, sender, retry);
  const backlog = new MailBacklog(store, work, clock, retry);
  const retries = new MailRetries(retry, random);
  const outbox = new MailOutbox(store, work, clock, properties, retries);
  const read = reading({ args: options.bundle ?? [] });
  const configuration = new Configuration(read.environment, read.registry, read.warnings, read.instances);
  const relayTls = new RelayTls(properties, configuration, clock, log.loggers);
  const relay = new SmtpRelay(properties, sender, relayTls, retries, log.loggers);
  const dispatch = new MailDispatch(outbox, templates, relay, meters, log.loggers);
  const tasks = new ScheduledTasks(clock, log.loggers);
  new MailDelivery(dispatch, properties, queue, taskExecutor(meters, log.loggers, options.limits), tasks);
  new MailBacklogTask(backlog, sender, properties, meters, tasks);
  return {
    queue,
    templates,
    backlog,
    relay,
    meters,
    log,
    start: () => {
      tasks.start();
    },
    stop: () => tasks.stop(),
  };
}
