const FEATURES = [
  'accelerometer',
  'camera',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'payment',
  'usb',
];

/**
 * Headers of every response (http-api sections 1, 9 and 10). A route may override them; an error response uses these.
 */
export const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  'api-version': '1',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': FEATURES.map((feature) => `${feature}=()`).join(', '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** One year, sent over https only: browsers ignore it over plain http (RFC 6797 section 8.1). */
export const STRICT_TRANSPORT = 'max-age=31536000; includeSubDomains';
