import { full } from '../../config/bind/effect.js';
import { integer, list, map, text } from '../../config/bind/key-type.js';
import { Key, Members } from '../../config/bind/properties.decorator.js';
import { type Show, show } from '../access/show.js';

export const httpStatus = integer({ min: 200, max: 599 });

const inherited = 'same as without a group';

/** One group of components. */
@Members()
export class HealthGroupProperties {
  @Key(list(text()), {
    does: 'Components of the group, a part of one as whole/part; empty or * is all.',
    effect: full,
  })
  readonly include?: readonly string[];

  @Key(list(text()), { does: 'Components that the group has not although they are included.', effect: full })
  readonly exclude?: readonly string[];

  @Key(show, { does: 'Who sees the details of the group.', effect: full, defaultText: inherited })
  readonly showDetails?: Show;

  @Key(show, { does: 'Who sees the components of the group.', effect: full, defaultText: inherited })
  readonly showComponents?: Show;

  @Key(list(text()), {
    does: 'Roles of which a caller needs one to see more than the status of the group.',
    effect: full,
    defaultText: inherited,
  })
  readonly roles?: readonly string[];

  @Key(list(text()), {
    name: 'status.order',
    does: 'Statuses, the worst first; the group has the first of them that a member has.',
    effect: full,
    defaultText: inherited,
  })
  readonly statusOrder?: readonly string[];

  @Key(map(httpStatus, 'status'), {
    name: 'status.http-mapping',
    does: 'HTTP status of the answer for a status of the group.',
    effect: full,
    defaultText: inherited,
  })
  readonly statusHttpMapping: ReadonlyMap<string, number> = new Map();

  @Key(
    text({
      form: /^(?:server|management):\/(?!\.{1,2}$)[\w.~-]+$/,
      called: 'server: or management: and a path of one part, such as server:/healthz',
    }),
    {
      does: 'One more path of the group, directly below the root of the main or of the management listener.',
      effect: full,
      defaultText: 'none',
    },
  )
  readonly additionalPath?: string;
}
