import { full } from './bind/effect.js';
import { flag, list, mapOfLists, text } from './bind/key-type.js';
import { Key, Properties } from './bind/properties.decorator.js';

/** Which profile files and documents count. */
@Properties('app.profiles')
export class ProfilesProperties {
  @Key(list(text()), {
    does: 'Active profiles, the last wins; set by the environment or an argument, never in a file.',
    effect: full,
  })
  readonly active: readonly string[] = [];

  @Key(list(text(), { addsUp: true }), {
    does: 'Profiles active before the others, added up over all sources.',
    effect: full,
  })
  readonly include: readonly string[] = [];

  @Key(list(text()), { does: 'Profiles that count when none is active.', effect: full })
  readonly default: readonly string[] = ['default'];

  @Key(mapOfLists(text(), 'name'), { does: 'Profiles that become active together with the named one.', effect: full })
  readonly group: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>();

  @Key(flag(), {
    does: 'Checks the form of profile names, and that some file, group or condition knows each active one.',
    effect: full,
  })
  readonly validate: boolean = true;
}
