import { Controller, Get, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { AccountActivity } from '../../admin/account-activity.service.js';
import { actorOf } from '../../admin/act.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ServiceError } from '../../../kernel/errors/service-error.js';
import type { EventRow } from '../../../identity/events/event-line.js';
import { KINDS } from '../../../identity/events/security-event.js';
import type { View } from '../../../platform/http/page/view.js';
import { Caller, RequireAuthority, RequireMfa } from '../../../kernel/principal/access.decorator.js';
import type { FullPrincipal } from '../../../kernel/principal/principal.js';
import { ApiTag, Operation } from '../../../platform/web/route.decorator.js';
import { AdminPage } from '../page.decorator.js';
import { type AdminEvent, eventsPage } from './admin-events-page.js';
import { AdminPages } from './admin-pages.service.js';
import { startOfDay, zoneOf } from './day.js';
import { SHOW_EVENTS } from './admin.openapi.js';
import { eventsQuery } from './admin.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const EVENTS_PER_PAGE = 20;

type EventsQuery = InferOutput<typeof eventsQuery>;

/** The security events of all users, for administrators. */
@ApiTag('Pages')
@RateLimited('administration')
@Controller(ADMIN_PAGES.events)
@RequireAuthority('ROLE_ADMIN')
@RequireMfa({ maxAge: 300 })
export class AdminEventsController {
  constructor(
    private readonly activity: AccountActivity,
    private readonly accounts: Accounts,
    private readonly pages: AdminPages,
  ) {}

  @Get()
  @AdminPage()
  @Operation(SHOW_EVENTS)
  async show(
    @Caller() caller: FullPrincipal,
    @Query({ schema: eventsQuery }) { after, zone: zoneName, ...filter }: EventsQuery,
  ): Promise<View> {
    const zone = zoneOf(zoneName);
    const found = await this.conditionOf(filter, zone);
    const [problem, condition] = typeof found === 'string' ? [found, undefined] : [undefined, found];
    const rows = condition
      ? await this.activity.events({ ...condition, after, limit: EVENTS_PER_PAGE }, actorOf(caller))
      : [];
    const names = await this.loginIdsOf(rows, caller);
    return eventsPage({
      navigation: this.pages.navigationFor(caller),
      filter: { ...filter, zone },
      kinds: KINDS,
      events: rows.map((row) => toAdminEvent(row, names)),
      after: rows.length === EVENTS_PER_PAGE ? rows.at(-1)?.id : undefined,
      ...withoutUndefined({ problem, exportQuery: condition && exportQueryOf(condition) }),
    });
  }

  /** Converts a filter to a condition, or states why no event can match it. Days are those of the zone of the reader. */
  private async conditionOf(
    { user, kind, from, to }: Omit<EventsQuery, 'after' | 'zone'>,
    zone: string,
  ): Promise<Condition | 'unknownUser' | 'reversedDays'> {
    const account = user.trim() === '' ? undefined : await this.accountOf(user);
    if (user.trim() !== '' && !account) return 'unknownUser';
    // The period includes its last day.
    const [first, end] = [startOfDay(from, zone), startOfDay(to, zone, 1)];
    if (first !== undefined && end !== undefined && first >= end) return 'reversedDays';
    return withoutUndefined({
      user: account?.id,
      kind: kind === '' ? undefined : kind,
      from: first,
      to: end,
    });
  }

  /** Finds the account of a login id; undefined for an unknown user or a malformed login id. */
  private async accountOf(user: string): Promise<Account | undefined> {
    try {
      return await this.accounts.findByLoginId(user);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'VALIDATION_FAILED') return undefined;
      throw error;
    }
  }

  /** Login ids by subject; the pseudonym that the log uses, too, for a deleted account. */
  private async loginIdsOf(rows: readonly EventRow[], caller: FullPrincipal): Promise<Names> {
    // An actor that is not a user id is a command.
    const people = rows.flatMap(({ user_id: subject, actor }) => [subject, actor]);
    const subjects = new Set(people.filter((each) => each !== null).filter((each) => !each.includes(':')));
    const found = await Promise.all([...subjects].map((subject) => this.accounts.find(subject)));
    const known = new Map(found.filter((account) => account !== undefined).map(({ id, loginId }) => [id, loginId]));
    const gone = [...subjects].filter((subject) => !known.has(subject));
    const deletions = await Promise.all(
      gone.map((user) => this.activity.events({ user, kind: 'USER_DELETED', limit: 1 }, actorOf(caller))),
    );
    const deleted = deletions.flat().map((row) => [row.user_id ?? '', factsOf(row)['login_id'] ?? ''] as const);
    return { known, deleted: new Map(deleted.filter(([, name]) => name !== '')) };
  }
}

interface Condition {
  readonly user?: string;
  readonly kind?: (typeof KINDS)[number];
  readonly from?: number;
  readonly to?: number;
}

function exportQueryOf({ user, kind, from, to }: Condition): string {
  const instant = (millis: number | undefined): string | undefined =>
    millis === undefined ? undefined : new Date(millis).toISOString();
  const parameters = withoutUndefined({ user, kind, from: instant(from), to: instant(to) });
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? '' : `&${query}`;
}

/** Names of the users of events. */
interface Names {
  readonly known: ReadonlyMap<string, string>;
  readonly deleted: ReadonlyMap<string, string>;
}

function factsOf({ detail }: EventRow): Readonly<Record<string, string>> {
  return detail === null ? {} : (JSON.parse(detail) as Readonly<Record<string, string>>);
}

function toAdminEvent(row: EventRow, { known, deleted }: Names): AdminEvent {
  const { kind, at, result, user_id: subject, actor, reason, ip, agent } = row;
  return {
    kind,
    at: Math.floor(at / 1000),
    isRejected: result === 'refused',
    subject: subject ?? undefined,
    loginId: subject === null ? undefined : known.get(subject),
    pseudonym: subject === null ? undefined : deleted.get(subject),
    actor: actor === null ? undefined : (known.get(actor) ?? deleted.get(actor) ?? actor),
    reason: reason ?? undefined,
    ip: ip ?? undefined,
    agent: agent ?? undefined,
    facts: factsOf(row),
  };
}
