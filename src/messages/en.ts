/** English: the reference for all other languages. A text with parts is a function of them. */
export const en = {
  /** BCP 47 tag of the language, for `lang` attributes and for the formats of `Intl`. */
  tag: 'en',
  /** Name of the language in itself. */
  languageName: 'English',

  common: {
    skip: 'Skip to content',
    navigation: 'Main',
    language: 'Language',
    help: 'Help',
    home: 'Home',
    security: 'Account security',
    administration: 'Administration',
    signIn: 'Sign in',
    signOut: 'Sign out',
    continue: 'Continue',
    cancel: 'Cancel',
    back: 'Back',
    save: 'Save',
    copy: 'Copy',
    copied: 'Copied',
    print: 'Print',
    show: 'Show',
    hide: 'Hide',
    username: 'Username',
    password: 'Password',
    newPassword: 'New password',
    reference: (code: string, requestId: string) => `For support: ${code}, request ${requestId}`,
    tryAgainIn: (seconds: number) => `Try again in ${wait(seconds)}.`,
    contact: (contact: string) => `Contact: ${contact}`,
  },

  /** Texts for users about each error code: what happened, and what to do now. */
  errors: {
    VALIDATION_FAILED: 'Some of the input is not valid. Check it and try again.',
    INVALID_CREDENTIALS: 'Wrong username or password.',
    MFA_TOKEN_INVALID: 'This sign-in has expired. Start again.',
    MFA_CODE_INVALID: 'This code is wrong or was already used. Enter another code.',
    MFA_LOCKED: 'There were too many wrong codes. Sign-in with a code is locked for a while.',
    RATE_LIMITED: 'There were too many attempts. Wait a moment and try again.',
    INVALID_TOKEN: 'You are not signed in, or your sign-in has expired. Please sign in to continue.',
    MFA_REQUIRED: 'This step is not available before your sign-in is complete.',
    PASSWORD_CHANGE_REQUIRED: 'Your password is temporary. Enter it again and choose a new one.',
    ACCESS_DENIED: 'You do not have permission to do this.',
    STEP_UP_REQUIRED: 'Please confirm again that it is you.',
    REFRESH_INVALID: 'Your sign-in has expired. Please sign in again.',
    LINK_INVALID: 'This link has expired or was already used. Request a new one.',
    MFA_STATE_CONFLICT: 'This setup step has expired. Start again.',
    CONFLICT: 'This is not possible at the moment: something has changed meanwhile. Reload the page and try again.',
    CROSS_SITE: 'We could not verify this form. Open the page again over https and try again.',
    PAYLOAD_TOO_LARGE: 'This is too large.',
    NOT_FOUND: 'This page does not exist. Check the address, or go to the home page.',
    METHOD_NOT_ALLOWED: 'This page cannot be opened this way. Go to the home page.',
    NOT_ACCEPTABLE: 'This page is not available in the requested format.',
    UNSUPPORTED_MEDIA_TYPE: 'We could not read this form. Open the page again and try again.',
    SAML_RESPONSE_INVALID: 'The sign-in through your organisation was not accepted. Try again.',
    SAML_MFA_MISSING:
      'Your organisation did not confirm a second factor. Sign in there with a second factor and try again.',
    SAML_USER_NOT_ALLOWED: 'Your account may not sign in here. Ask your administrator.',
    UNAVAILABLE: 'The service is not available at the moment. Try again in a moment.',
    INTERNAL_ERROR: 'The service could not do this because of an error. Try again later.',
  },

  problem: {
    title: 'Something went wrong',
    titleNotFound: 'Page not found',
    titleSignIn: 'Please sign in',
    titleDenied: 'No permission',
    titleLocked: 'Sign-in is locked',
    toHome: 'Go to the home page',
  },

  signIn: {
    title: 'Sign in',
    temporaryPassword: 'Temporary password',
    titleChange: 'Choose a new password',
    submitChange: 'Save and sign in',
    forgot: 'Forgot your password?',
    or: 'or',
    with: (organisation: string) => `Continue with ${organisation}`,
    unfinished: (name: string) => `You have started to sign in as ${name}.`,
    finish: 'Continue this sign-in',
    plainHttp: {
      title: 'Sign-in problem',
      what: 'This address needs https. Your browser does not keep the cookies of this page over http, so you cannot sign in here.',
      openWithHttps: 'Open it with https:// in front and try again.',
      openLink: 'Open this address instead:',
    },
  },

  newPassword: {
    hint: (length: number) => `At least ${length} characters. A few unrelated words work well.`,
    too_short: (length: number) => `The new password is too short. Use at least ${length} characters.`,
    too_long: 'The new password is too long. Choose a shorter one.',
    too_common: 'The new password is one of the most common passwords. Choose another one.',
    same_as_id: 'The new password must differ from the username.',
    same_as_temporary: 'The new password must differ from the temporary one.',
    malformed: 'The new password has characters that cannot be used. Choose another one.',
    unexpected: 'Your password is not temporary and was not changed. Sign in with it.',
  },

  verify: {
    title: 'Enter your code',
    titleStepUp: 'Confirm that it is you',
    methods: 'How to confirm',
    totp: 'Authenticator app',
    backupCode: 'Backup code',
    totpIntro: 'Open your authenticator app and enter the six digits it shows for this account.',
    totpLabel: 'Six-digit code',
    backupIntro: 'Enter one of the ten backup codes you saved. Each works once.',
    backupLabel: 'Backup code',
    submit: 'Continue',
    trustDevice: (days: number) => `Do not ask for a code in this browser for ${days} days`,
    other: 'Use another account',
    lost: 'Lost your phone and your backup codes? Ask your help desk to reset your second factor.',
    elsewhere: 'You have no authenticator app here. Confirm your second factor at your organisation to continue.',
    again: (organisation: string) => `Sign in again with ${organisation}`,
  },

  lock: {
    title: 'Sign-in is locked',
    what: 'There were too many wrong codes for this account. To protect it, codes are not accepted for now, not even correct ones.',
    left: 'Time left',
    until: (seconds: number) => `You can try again in ${wait(seconds)}.`,
    retry: 'Try again',
    byAdministrator: 'Only an administrator or the help desk can unlock this account.',
    notMe: 'If these attempts were not yours, somebody may know your password. Change it as soon as you can.',
  },

  setup: {
    title: 'Set up your authenticator app',
    step: (number: number, of: number) => `Step ${number} of ${of}`,
    intro:
      'To protect your account, sign-in asks for a code from an app on your phone, besides your password. You need an authenticator app such as Google Authenticator, Microsoft Authenticator or 2FAS.',
    introReplace:
      'Set up an authenticator app on your new phone. Your present app works until you have confirmed the new one.',
    begin: 'Begin',
    beginAgain: 'Begin again',
    otherPending:
      'Another sign-in of yours has begun this setup. It can be finished there only. If you begin again here, the QR code shown there stops working: remove that entry from your app.',
    titleScan: 'Connect your app',
    scan: 'Scan this QR code with your authenticator app.',
    qrAlt: 'QR code for your authenticator app',
    openApp: 'Open in authenticator app',
    onPhone: 'On this phone?',
    cannotScan: 'Cannot scan the code?',
    typeKey: 'Type this key into the app:',
    copyKey: 'Copy key',
    enter: 'Then enter the six digits that the app shows.',
    codeLabel: 'Six-digit code',
    confirm: 'Confirm',
    hiddenSecret: 'Enter the six digits that your authenticator app shows now.',
    timeLeft: 'Your progress is kept for ten minutes, also if you reload or close this page.',
    again: 'Sign in again',
    enterCode: 'Enter a code of your authenticator app',
    notDone: 'Not now? Sign out',
  },

  codes: {
    title: 'Save your backup codes',
    done: 'Your authenticator app is set up.',
    intro:
      'If you lose your phone, you can sign in with one of these codes. Each works once. Keep them somewhere safe, not on the same phone. This page does not show them again.',
    replaced: 'Earlier backup codes no longer work.',
    list: 'Backup codes',
    download: 'Download',
    fileName: 'backup-codes.txt',
    fileHeading: (service: string, user: string) => `Backup codes of ${user} for ${service}`,
    saved: 'I saved them',
  },

  home: {
    title: (name: string) => `Hello, ${name}`,
    account: 'Your sign-in',
    signedInAs: 'Signed in as',
    how: 'How',
    when: 'Since',
    secondFactorAt: 'Code confirmed',
    withPassword: 'With your password',
    withTotp: 'With your password and a code of your authenticator app',
    withBackupCode: 'With your password and a backup code',
    through: (organisation: string) => `Through ${organisation}`,
    throughMfa: (organisation: string) => `Through ${organisation}, with a second factor`,
    secure: 'Your account',
    secureActive: 'Two-step sign-in is on.',
    secureNone: 'Two-step sign-in is off. Protect your account with an authenticator app.',
    setUp: 'Set up an authenticator app',
    codesLow: (count: number) => `Only ${count} backup ${count === 1 ? 'code is' : 'codes are'} left.`,
    newCodes: 'Get new backup codes',
    manage: 'Manage account security',
    half: 'Your sign-in is not complete yet.',
    halfTitle: 'Almost there',
    policyFrom: (days: number) =>
      days <= 1
        ? 'From tomorrow on, you need an authenticator app to sign in.'
        : `In ${days} days, you will need an authenticator app to sign in.`,
  },

  signedOut: {
    title: 'Signing out',
    what: 'You are signed out here. Continue to sign out at your organisation as well.',
    toIdp: 'To your organisation',
  },
};

/** All texts for users, in pages and mails, in one language. */
export type Messages = typeof en;

/** A wait in words: seconds up to two minutes, then minutes. */
function wait(seconds: number): string {
  const isLong = seconds >= 120;
  const count = isLong ? Math.ceil(seconds / 60) : seconds;
  const unit = isLong ? 'minute' : 'second';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
