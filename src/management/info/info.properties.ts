import { full } from '../../config/bind/effect.js';
import { flag, map, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('info')
export class InfoProperties {
  @Key(map(text(), 'name'), {
    name: '',
    does:
      'Free facts that the info endpoint shows where management.info.env.enabled is true, e.g. info.app.version; ' +
      'everybody who may call it can read them.',
    effect: full,
  })
  readonly values: ReadonlyMap<string, string> = new Map();
}

/** What the info endpoint shows. */
@Properties('management.info')
export class InfoContributorsProperties {
  @Key(flag(), {
    name: 'defaults.enabled',
    does: 'Whether info shows build and git where nothing is said about them one by one.',
    effect: full,
  })
  readonly defaultsEnabled: boolean = true;

  @Key(flag(), {
    name: 'env.enabled',
    does: 'Whether the info endpoint shows the keys below info.',
    effect: full,
  })
  readonly envEnabled: boolean = false;

  @Key(flag(), {
    name: 'build.enabled',
    does: 'Whether info shows what was built, and when; without build data there is nothing to show.',
    effect: full,
    defaultText: 'same as management.info.defaults.enabled',
  })
  readonly buildEnabled?: boolean;

  @Key(flag(), {
    name: 'git.enabled',
    does: 'Whether info shows the commit that was built; a build outside a Git working copy has none.',
    effect: full,
    defaultText: 'same as management.info.defaults.enabled',
  })
  readonly gitEnabled?: boolean;

  @Key(oneOf('simple', 'full'), {
    name: 'git.mode',
    does: 'How much of the commit info shows: branch, short id and time, or all that was packaged.',
    effect: full,
  })
  readonly gitMode: 'simple' | 'full' = 'simple';

  @Key(flag(), {
    name: 'process.enabled',
    does: 'Whether info shows the ids and the owner of the process, and its share of processors.',
    effect: full,
  })
  readonly processEnabled: boolean = false;

  @Key(flag(), { name: 'os.enabled', does: 'Whether info shows the operating system.', effect: full })
  readonly osEnabled: boolean = false;

  @Key(flag(), { name: 'runtime.enabled', does: 'Whether info shows name and version of the runtime.', effect: full })
  readonly runtimeEnabled: boolean = false;
}
