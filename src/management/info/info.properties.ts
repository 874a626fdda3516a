import { full } from '../../config/bind/effect.js';
import { flag, map, oneOf, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

@Properties('info')
export class InfoProperties {
  @Key(map(text(), 'name'), {
    name: '',
    does:
      'Facts that the info endpoint shows if management.info.env.enabled is true, e.g. info.app.version; every ' +
      'caller of info can read them.',
    effect: full,
  })
  readonly values: ReadonlyMap<string, string> = new Map();
}

/** Settings of the contributors of the info endpoint. */
@Properties('management.info')
export class InfoContributorsProperties {
  @Key(flag(), {
    name: 'defaults.enabled',
    does: 'Whether info shows build and git if they are not enabled or disabled one by one.',
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
    does: 'Whether info shows the version and time of the build; without build data there is nothing to show.',
    effect: full,
    defaultText: 'same as management.info.defaults.enabled',
  })
  readonly buildEnabled?: boolean;

  @Key(flag(), {
    name: 'git.enabled',
    does: 'Whether info shows the commit of the build; a build outside a Git working copy has none.',
    effect: full,
    defaultText: 'same as management.info.defaults.enabled',
  })
  readonly gitEnabled?: boolean;

  @Key(oneOf('simple', 'full'), {
    name: 'git.mode',
    does: 'Details of the commit that info shows: branch, short id and time, or everything that was packaged.',
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
