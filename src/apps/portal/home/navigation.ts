import { withoutUndefined } from '../../../kernel/collections/without-undefined.js';
import { ACCOUNT_PAGES, ADMIN_PAGES } from '../../../signin/auth/page-paths.js';
import type { NavLink, PageContent } from '../../../platform/http/page/view.js';
import type { PageContext } from '../../../signin/messages/page.js';
import type { Messages } from '../../../signin/messages/messages.js';
import { button, form, type FormFields } from '../form/forms.js';

/** Sections of the pages of signed-in users. */
export type Section = 'home' | 'security' | 'administration';

/** Content of the navigation of a signed-in user. */
export interface NavigationFields {
  readonly section: Section;
  /** Sections that the user may open. */
  readonly sections: readonly Section[];
  /** The display name of the user. */
  readonly name?: string;
  readonly signOut: FormFields;
}

const PATHS: Readonly<Record<Section, string>> = {
  home: '/',
  security: ACCOUNT_PAGES.security,
  administration: ADMIN_PAGES.overview,
};

/** The links between the sections, and the button to sign out. */
export function navigation(
  { t }: PageContext,
  { section, sections, name, signOut }: NavigationFields,
): NonNullable<PageContent['navigation']> {
  const links = sections.map((each): NavLink => ({
    path: PATHS[each],
    label: labelOf(each, t),
    isCurrent: each === section,
  }));
  return { links, ...withoutUndefined({ name }), signOut: form(signOut, button(t.common.signOut)) };
}

function labelOf(section: Section, { common }: Messages): string {
  return common[section];
}
