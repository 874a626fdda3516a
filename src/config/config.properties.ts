import { full } from './bind/effect.js';
import { flag, list, mapOfLists, oneOf, text, timeZone } from './bind/key-type.js';
import { Key, Properties } from './bind/properties.decorator.js';

/** Where configuration is looked for; all but `import` are read before any file is. */
@Properties('app.config')
export class ConfigProperties {
  @Key(list(text()), {
    does: 'Name of the configuration files, without extension and profile.',
    effect: full,
    fromProcessOnly: true,
  })
  readonly name: readonly string[] = ['application'];

  @Key(text(), {
    does: 'Locations to read instead of the built-in ones; "," separates them, ";" joins them to one group.',
    effect: full,
    fromProcessOnly: true,
  })
  readonly location?: string;

  @Key(text(), {
    does: 'Locations to read above all others; a folder ends in "/".',
    effect: full,
    fromProcessOnly: true,
  })
  readonly additionalLocation?: string;

  @Key(oneOf('fail', 'ignore'), {
    does: 'What a location that is not there means: a failed start, or nothing.',
    effect: full,
    fromProcessOnly: true,
  })
  readonly onNotFound: 'fail' | 'ignore' = 'fail';

  @Key(list(text()), {
    does: 'Further locations to read; what they hold wins over the document that names them.',
    effect: full,
  })
  readonly import: readonly string[] = [];

  @Key(oneOf('fail', 'warn', 'ignore'), {
    does: 'What an unknown key below app, server, management, logging or mapper means; in the environment at most a warning.',
    effect: full,
  })
  readonly unknownKeys: 'fail' | 'warn' | 'ignore' = 'fail';

  @Key(list(text()), {
    name: 'activate.on-profile',
    does: 'Stands in a document and makes it count only with these profiles: names with !, & and |; several mean any of them.',
    effect: full,
  })
  readonly activateOnProfile: readonly string[] = [];

  @Key(list(oneOf('none', 'kubernetes')), {
    name: 'activate.on-cloud-platform',
    does: 'Stands in a document and makes it count only there; kubernetes is known by the variables it sets in every pod.',
    effect: full,
  })
  readonly activateOnCloudPlatform: readonly ('none' | 'kubernetes')[] = [];
}

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

/** What a JVM would take as system properties of its own. */
@Properties('user')
export class UserProperties {
  @Key(timeZone(), {
    does: 'Time zone of the process, given as -Duser.timezone or by the variable TZ; must equal app.json.time-zone and that of the database.',
    defaultText: 'the zone of the machine',
    effect: full,
  })
  readonly timezone?: string;
}
