import { Rule } from '../../config/check/rule.js';
import { BrandingProperties } from './branding.properties.js';
import { LogoProblem, readLogo } from './logo.js';

/** The logo must be an image that pages can show. */
export const logoIsUsable = new Rule('branding', (facts) => {
  const { logo } = facts.get(BrandingProperties);
  if (logo === undefined) return [];
  try {
    readLogo(logo);
    return [];
  } catch (error) {
    if (!(error instanceof LogoProblem)) throw error;
    const action = 'Set it to the path of an SVG, PNG, JPEG or WebP file of at most 100 kB, or remove the key.';
    return [
      facts.about('app.branding.logo', {
        severity: 'error',
        what: `The logo cannot be used: ${error.message}`,
        action,
      }),
    ];
  }
});
