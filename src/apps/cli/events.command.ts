import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Accounts } from '../../identity/account/accounts.service.js';
import { parseInstant } from '../../config/bind/instant.js';
import { printable } from '../../config/show/failure-report.js';
import type { VerificationOptions } from '../../identity/events/chain/chain-check.js';
import type { BatchHash } from '../../identity/events/chain/event-batch.js';
import type { EventVerification } from '../../identity/events/chain/event-verification.service.js';
import type { EventRow } from '../../identity/events/event-line.js';
import { type EventPeriod, type EventSearch, MAX_EVENTS } from '../../identity/events/event-search.service.js';
import { EXPORT_FORMATS, type ExportFormat } from '../../identity/events/event-export.js';
import type { EventExports } from '../admin/event-exports.service.js';
import type { Act } from '../admin/act.js';
import type { Resends } from '../admin/resends.service.js';
import { writeExport } from './export-output.js';
import { operatorAct, withReason } from './operator.js';
import { withLimit } from './page-limit.js';
import { type EventKind, KINDS } from '../../identity/events/security-event.js';
import type { ListedDelivery, WebhookDeliveries } from '../webhook/webhook-deliveries.service.js';
import { notFound } from './command-failure.js';
import { type CommandParts, type CommandResult, commandRunner, type RunCommand } from './command-run.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** Services that the commands need, opened for one command. */
export interface EventsServices {
  readonly accounts: Pick<Accounts, 'findByLoginId'>;
  readonly eventSearch: Pick<EventSearch, 'search' | 'report' | 'reasons'>;
  readonly eventVerification: Pick<EventVerification, 'verify'>;
  readonly eventExports: Pick<EventExports, 'export'>;
  readonly webhookDeliveries: Pick<WebhookDeliveries, 'list' | 'counts'>;
  readonly resends: Pick<Resends, 'webhook'>;
  readonly close: () => Promise<void>;
}

/** Dependencies of the commands. */
export interface EventsCommandParts extends CommandParts<EventsServices> {
  /** Actor of the security events. */
  readonly actor: string;
  /** Output of an export without `--out`. */
  readonly output: NodeJS.WritableStream;
}

interface FilterOptions extends EventPeriod {
  readonly user?: string;
  readonly subject?: string;
  readonly kind?: EventKind;
}

interface SearchOptions extends FilterOptions {
  readonly after?: string;
  readonly limit: number;
}

interface ExportOptions extends FilterOptions {
  readonly format: ExportFormat;
  readonly out?: string;
}

interface DeliveryOptions {
  readonly pending?: boolean;
  readonly after: string;
  readonly limit: number;
}

/** Adds `events search`, `report`, `reasons`, `export` and `verify`, and `events webhook`. */
export function addEventsCommand(program: Command, parts: EventsCommandParts, exit: (code: ExitCode) => void): void {
  const events = program.command('events').description('searches, counts, exports and verifies security events');
  const run = commandRunner(parts, exit);

  const searching = withFilter(events.command('search'))
    .description('lists security events, newest first, a page at a time')
    .option('--after <id>', 'continue after the event with this id');
  withLimit(searching, 'events', MAX_EVENTS).action((options: SearchOptions) =>
    run((services) => search(services, options)),
  );

  withPeriod(events.command('report'))
    .description('counts security events by kind and result')
    .action((period: EventPeriod) => run((services) => report(services, period)));

  withPeriod(events.command('reasons'))
    .description(
      'counts security events by kind, result and reason, as JSON lines with the times of the first and the last',
    )
    .action((period: EventPeriod) => run((services) => reasons(services, period)));

  withPeriod(events.command('verify'))
    .description(
      'computes the hash chain of the events again; fails if events or batches were removed, changed or added',
    )
    .option('--head <batch:hash>', 'a head that an earlier run has printed; the chain must contain it', headOf)
    .action(({ head, ...period }: EventPeriod & { readonly head?: BatchHash }) =>
      run((services) => verify(services, { ...period, known: head })),
    );
  withReason(withFilter(events.command('export')))
    .description('writes security events, newest first; the export is an event itself')
    .addOption(new Option('--format <format>', 'csv or JSON lines').choices(EXPORT_FORMATS).default('jsonl'))
    .option('--out <file>', 'a new file, mode 600; without it standard output')
    .action((options: ExportOptions) => run((services) => exportEvents(services, parts, options)));

  addWebhookCommands(events.command('webhook').description('the events that the webhook has not delivered'), run, () =>
    operatorAct(parts.actor),
  );
}

function withFilter(command: Command): Command {
  return withPeriod(command)
    .option('--user <id>', 'only events of the user with this login id')
    .addOption(
      new Option('--subject <subject>', 'only events of this subject, also of a deleted user').conflicts('user'),
    )
    .addOption(new Option('--kind <kind>', 'only events of this kind').choices(KINDS));
}

function addWebhookCommands(webhook: Command, run: RunCommand<EventsServices>, act: () => Act): void {
  const listing = webhook
    .command('list')
    .description('lists the events that the webhook has given up, oldest first')
    .option('--pending', 'the events that it has not delivered yet')
    .option('--after <id>', 'continue after the event with this id', '');
  withLimit(listing, 'events', MAX_EVENTS).action((options: DeliveryOptions) =>
    run((services) => listDeliveries(services, options)),
  );

  withReason(webhook.command('resend'))
    .description('sends events again that the webhook has given up')
    .argument('[id]', 'as shown by "events webhook list"')
    .option('--all', 'all of them')
    .action((id: string | undefined, { all = false }: { readonly all?: boolean }) => {
      if (all === (id !== undefined)) webhook.error('error: give either an id or --all', { exitCode: EXIT.usage });
      return run((services) => resend(services, id, act()));
    });
}

async function listDeliveries(
  { webhookDeliveries }: EventsServices,
  { pending = false, after, limit }: DeliveryOptions,
): Promise<readonly string[]> {
  const found = await webhookDeliveries.list(pending ? 'pending' : 'dead', after, limit);
  const counts = await webhookDeliveries.counts();
  const last = found.length === limit ? found.at(-1) : undefined;
  return [
    ...found.map(deliveryLine),
    ...(last ? [`More events may follow: --after ${last.id}`] : []),
    `${counts.dead} given up, ${counts.pending} pending`,
  ];
}

function deliveryLine({ id, kind, state, attempts, failure, next_at, created_at, queue }: ListedDelivery): string {
  const facts = [
    `subject=${queue === id ? '-' : queue}`,
    `attempts=${attempts}`,
    failure !== null && `failure=${failure}`,
    `since=${secondsOf(created_at)}`,
    state === 'pending' && `next=${secondsOf(next_at)}`,
  ];
  return printable([kind, ...facts.filter((fact) => fact !== false), `id=${id}`].join('  '));
}

function secondsOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString();
}

async function resend({ resends }: EventsServices, id: string | undefined, act: Act): Promise<CommandResult> {
  const count = await resends.webhook(id, act);
  if (id !== undefined && count === 0) return notFound(`The webhook has given up no event ${printable(id)}.`);
  return [`${count} ${count === 1 ? 'event is' : 'events are'} sent again.`];
}

function withPeriod(command: Command): Command {
  return command
    .option(
      '--from <time>',
      'first instant, such as 2026-11-01 or 2026-11-01T08:00:00Z; without a zone in UTC',
      instantOf,
    )
    .option('--to <time>', 'first instant after the period', instantOf);
}

async function search(
  { accounts, eventSearch }: EventsServices,
  { user, subject, limit, ...filter }: SearchOptions,
): Promise<CommandResult> {
  const account = user === undefined ? undefined : await accounts.findByLoginId(user);
  if (user !== undefined && !account) return notFound(`Unknown user ${printable(user)}.`);
  const found = await eventSearch.search({ ...filter, user: account?.id ?? subject, limit });
  const last = found.length === limit ? found.at(-1) : undefined;
  return [...found.map(lineOf), ...(last ? [`More events may follow: --after ${last.id}`] : [])];
}

async function exportEvents(
  { accounts, eventExports }: EventsServices,
  { actor, output }: EventsCommandParts,
  { user, subject, kind, from, to, format, out }: ExportOptions,
): Promise<CommandResult> {
  const account = user === undefined ? undefined : await accounts.findByLoginId(user);
  if (user !== undefined && !account) return notFound(`Unknown user ${printable(user)}.`);
  const filter = { user: account?.id ?? subject, kind, from, to };
  const parts = await eventExports.export(filter, format, operatorAct(actor));
  return writeExport(parts, { out, output });
}

function lineOf({ at, kind, result, user_id, reason, actor, ip, id }: EventRow): string {
  const facts = [
    `subject=${user_id ?? '-'}`,
    reason && `reason=${reason}`,
    actor && `actor=${actor}`,
    ip && `ip=${ip}`,
  ];
  return printable([new Date(at).toISOString(), kind, result, ...facts.filter(Boolean), `id=${id}`].join('  '));
}

async function report({ eventSearch }: EventsServices, period: EventPeriod): Promise<readonly string[]> {
  const counts = await eventSearch.report(period);
  return counts.map(({ kind, result, events }) => `${kind.padEnd(22)} ${result.padEnd(8)} ${events}`);
}

async function reasons({ eventSearch }: EventsServices, period: EventPeriod): Promise<readonly string[]> {
  const rows = await eventSearch.reasons(period);
  return rows.map((row) => printable(JSON.stringify(row)));
}

async function verify({ eventVerification }: EventsServices, options: VerificationOptions): Promise<CommandResult> {
  const { problems, batches, events, head, deleted, isJustRestored = false } = await eventVerification.verify(options);
  if (problems.length > 0) return { message: ['The chain of events is not intact:', ...problems].join('\n  ') };
  const waiting = isJustRestored ? [RESTORED] : [];
  if (!head) return ['There are no events in the chain yet.', ...waiting];
  const after = deleted > 0 ? ` The retention has deleted the batches up to ${deleted}.` : '';
  return [
    `The chain of events is intact: ${batches} batches, ${events} events.${after}`,
    `Head: ${head.batch}:${head.hash}`,
    ...waiting,
  ];
}

const RESTORED = 'The database was restored: the service adds the restored events to the chain when it runs.';

function headOf(text: string): BatchHash {
  const [, batch, hash] = /^(\d{1,15}):([\w-]{43})$/.exec(text) ?? [];
  if (batch === undefined || hash === undefined) {
    throw new InvalidArgumentError('A head looks like the last line of "events verify": 12:<43 characters>.');
  }
  return { batch: Number(batch), hash };
}

function instantOf(text: string): number {
  const millis = parseInstant(text);
  if (millis === undefined) throw new InvalidArgumentError('A time looks like 2026-11-01 or 2026-11-01T08:00:00Z.');
  return millis;
}
