import { Controller, Get, Query } from '@nestjs/common';
import type { InferOutput } from 'valibot';
import type { Account } from '../../../identity/account/account.js';
import { Accounts } from '../../../identity/account/accounts.service.js';
import { AccountActivity } from '../../admin/account-activity.service.js';
import { actorOf } from '../../admin/act.js';
import { ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { parseInstant } from '../../../config/bind/instant.js';
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
import { SHOW_EVENTS } from './admin.openapi.js';
import { eventsQuery } from './admin.schema.js';
import { RateLimited } from '../../../platform/rate-limit/rate-limited.decorator.js';

const EVENTS_PER_PAGE = 20;
const DAY_MILLIS = 86_400_000;

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
    @Query({ schema: eventsQuery }) { after, ...filter }: EventsQuery,
  ): Promise<View> {
    const condition = await this.conditionOf(filter);
    const rows = condition
      ? await this.activity.events({ ...condition, after, limit: EVENTS_PER_PAGE }, actorOf(caller))
      : [];
    const names = await this.loginIdsOf(rows);
    return eventsPage({
      navigation: this.pages.navigationFor(caller),
      filter,
      kinds: KINDS,
      events: rows.map((row) => toAdminEvent(row, names)),
      after: rows.length === EVENTS_PER_PAGE ? rows.at(-1)?.id : undefined,
      ...withoutUndefined({ exportQuery: condition && exportQueryOf(condition) }),
    });
  }

  /** Converts a filter to a condition; undefined for an unknown user, who has no events. */
  private async conditionOf({ user, kind, from, to }: Omit<EventsQuery, 'after'>): Promise<Condition | undefined> {
    const account = user.trim() === '' ? undefined : await this.accountOf(user);
    if (user.trim() !== '' && !account) return undefined;
    const last = parseInstant(to);
    return withoutUndefined({
      user: account?.id,
      kind: kind === '' ? undefined : kind,
      from: parseInstant(from),
      // The period includes its last day.
      to: last === undefined ? undefined : last + DAY_MILLIS,
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

  private async loginIdsOf(rows: readonly EventRow[]): Promise<ReadonlyMap<string, string>> {
    // An actor that is not a user id is a command.
    const people = rows.flatMap(({ user_id: subject, actor }) => [subject, actor]);
    const subjects = new Set(people.filter((each) => each !== null).filter((each) => !each.includes(':')));
    const found = await Promise.all([...subjects].map((subject) => this.accounts.find(subject)));
    return new Map(found.filter((account) => account !== undefined).map(({ id, loginId }) => [id, loginId]));
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

function toAdminEvent(row: EventRow, names: ReadonlyMap<string, string>): AdminEvent {
  const { kind, at, result, user_id: subject, actor, reason, ip, agent, detail } = row;
  const facts = detail === null ? {} : (JSON.parse(detail) as Readonly<Record<string, string>>);
  return {
    kind,
    at: Math.floor(at / 1000),
    isRejected: result === 'refused',
    subject: subject ?? undefined,
    loginId: subject === null ? undefined : names.get(subject),
    actor: actor === null ? undefined : (names.get(actor) ?? actor),
    reason: reason ?? undefined,
    ip: ip ?? undefined,
    agent: agent ?? undefined,
    detail: Object.entries(facts)
      .map(([name, value]) => `${name}: ${value}`)
      .join(' · '),
  };
}
