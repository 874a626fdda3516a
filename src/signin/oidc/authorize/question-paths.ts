import { secondFactorPage, SIGN_IN_PAGE, withReturnTo } from '../../auth/page-paths.js';
import type { Asked } from './stored-request.js';
import type { Question } from './sign-in-decision.js';

/** Hints of a request about the first page that the user sees (OpenID Connect Core section 3.1.2.1). */
interface PageHints {
  readonly loginHint?: string | undefined;
  readonly language?: string | undefined;
}

/** The page that asks the question, and finally redirects to `returnTo`. */
export function pathOf(
  question: Question,
  contextPath: string,
  returnTo: string,
  { loginHint, language }: PageHints = {},
): string {
  switch (question.kind) {
    case 'login':
      return [
        withReturnTo(`${contextPath}${SIGN_IN_PAGE}`, returnTo),
        ...(question.isRepeated ? ['again=true'] : []),
        ...(loginHint === undefined ? [] : [`login_hint=${encodeURIComponent(loginHint)}`]),
        ...(language === undefined ? [] : [`lang=${language}`]),
      ].join('&');
    case 'login at provider': {
      const path = withReturnTo(`${contextPath}/saml/${encodeURIComponent(question.idp)}/login`, returnTo);
      return question.acr === undefined ? `${path}&prompt=login` : `${path}&acr=${encodeURIComponent(question.acr)}`;
    }
    case 'second factor':
      return secondFactorPage(contextPath, 'verify', returnTo, question.required);
    case 'enrolment':
      return secondFactorPage(contextPath, 'enrol', returnTo);
  }
}

export function askedBy(question: Question): Asked {
  const isLogin = question.kind === 'login' || (question.kind === 'login at provider' && question.acr === undefined);
  return isLogin ? 'login' : 'second factor';
}
