import { full } from './bind/effect.js';
import { flag, list, mapOfLists, oneOf, text, zoneOfProcess } from './bind/key-type.js';
import { Key, Properties } from './bind/properties.decorator.js';

/** Locations and rules of the search for configuration; all keys but `import` are read before any file. */
@Properties('app.config')
export class ConfigProperties {
  @Key(list(text()), {
    does: 'Name of the configuration files, without extension and profile.',
    effect: full,
    fromProcessOnly: true,
  })
  readonly name: readonly string[] = ['application'];

  @Key(text(), {
    does: 'Locations to read in place of the built-in ones; "," separates them, ";" joins them into one group.',
    effect: full,
    fromProcessOnly: true,
  })
  readonly location?: string;

  @Key(text(), {
    does: 'Locations to read with precedence over all others; a folder ends in "/".',
    effect: full,
    fromProcessOnly: true,
  })
  readonly additionalLocation?: string;

  @Key(oneOf('fail', 'ignore'), {
    does: 'Whether a location that does not exist fails startup or is ignored.',
    effect: full,
    fromProcessOnly: true,
  })
  readonly onNotFound: 'fail' | 'ignore' = 'fail';

  @Key(list(text()), {
    does: 'Further locations to read; their values win over the document that names them.',
    effect: full,
  })
  readonly import: readonly string[] = [];

  @Key(oneOf('fail', 'warn', 'ignore'), {
    does:
      'How an unknown key below app, server, management, logging or mapper is treated; in the environment it ' +
      'causes at most a warning.',
    effect: full,
  })
  readonly unknownKeys: 'fail' | 'warn' | 'ignore' = 'fail';

  @Key(list(text()), {
    name: 'activate.on-profile',
    does:
      'Makes the document that contains it apply only with these profiles: names with !, & and |; of several, one ' +
      'must match.',
    effect: full,
  })
  readonly activateOnProfile: readonly string[] = [];

  @Key(list(oneOf('none', 'kubernetes')), {
    name: 'activate.on-cloud-platform',
    does:
      'Makes the document that contains it apply only on these platforms; kubernetes is detected by the variables ' +
      'it sets in every pod.',
    effect: full,
  })
  readonly activateOnCloudPlatform: readonly ('none' | 'kubernetes')[] = [];
}

/** Selects the profiles, whose files and documents apply. */
@Properties('app.profiles')
export class ProfilesProperties {
  @Key(list(text()), {
    does: 'Active profiles; the last one wins. Set by the environment or an argument, never in a file.',
    effect: full,
  })
  readonly active: readonly string[] = [];

  @Key(list(text(), { addsUp: true }), {
    does: 'Profiles that are active before the others, accumulated over all sources.',
    effect: full,
  })
  readonly include: readonly string[] = [];

  @Key(list(text()), { does: 'Profiles that apply when none is active.', effect: full })
  readonly default: readonly string[] = ['default'];

  @Key(mapOfLists(text(), 'name'), { does: 'Profiles that become active together with the named one.', effect: full })
  readonly group: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>();

  @Key(flag(), {
    does: 'Checks the form of profile names, and that a file, group or condition knows each active one.',
    effect: full,
  })
  readonly validate: boolean = true;
}

/** Keys that a JVM has as system properties. */
@Properties('user')
export class UserProperties {
  @Key(zoneOfProcess(), {
    does: 'Time zone of the process, given as -Duser.timezone or by the variable TZ; must equal app.json.time-zone and that of the database.',
    defaultText: 'the zone of the machine',
    effect: full,
  })
  readonly timezone?: string;
}
