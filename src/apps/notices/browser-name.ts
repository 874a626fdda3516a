/**
 * Names of a browser and its operating system, from the lists in this file only: `User-Agent` is input of the caller.
 */
export interface BrowserName {
  readonly browser?: string;
  readonly system?: string;
}

/** Browsers in the order of the tests: Edge and Opera also name Chrome, and all of them Safari. */
const BROWSERS: readonly (readonly [form: RegExp, name: string])[] = [
  [/\bEdgA?\/\d|\bEdgiOS\/\d/, 'Microsoft Edge'],
  [/\bOPR\/\d/, 'Opera'],
  [/\bSamsungBrowser\/\d/, 'Samsung Internet'],
  [/\bWhale\/\d/, 'Whale'],
  [/\b(?:Firefox|FxiOS)\/\d/, 'Firefox'],
  [/\b(?:Chrome|CriOS)\/\d/, 'Chrome'],
  [/\bVersion\/[\d.]+ .*\bSafari\/\d/, 'Safari'],
  [/^curl\/\d/, 'curl'],
];

/** Systems in the order of the tests: an iPhone also names Mac OS X, and Android also names Linux. */
const SYSTEMS: typeof BROWSERS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows NT\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

export function browserNameOf(agent: string): BrowserName {
  const [browser, system] = [nameIn(BROWSERS, agent), nameIn(SYSTEMS, agent)];
  return { ...(browser !== undefined && { browser }), ...(system !== undefined && { system }) };
}

function nameIn(names: typeof BROWSERS, agent: string): string | undefined {
  return names.find(([form]) => form.test(agent))?.[1];
}
