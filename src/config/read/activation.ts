import { ConversionError } from '../bind/conversion-error.js';
import { ConfigurationFailure, from, problem } from '../problem.js';
import { parseProfileExpression, type ProfileExpression } from './profile-expression.js';
import { sanitizeValue } from '../../redaction/secrets.js';
import type { Variables } from './variables.js';
import type { StatedValue } from './location.js';

/** Parses one condition of a document; several conditions are alternatives. */
export function conditionOf({ text, origin, isSecret }: StatedValue): ProfileExpression {
  const expression = parseProfileExpression(text);
  if (!(expression instanceof ConversionError)) return expression;
  const shownText = sanitizeValue(text, isSecret);
  throw new ConfigurationFailure([
    problem(
      `The condition "${shownText}" is no profile expression`,
      'Write names with !, & and |, and parentheses where & and | meet.',
      {
        Property: 'app.config.activate.on-profile',
        Value: `"${shownText}"`,
        Origin: from(origin),
        Reason: isSecret ? undefined : expression.reason,
      },
    ),
  ]);
}

/** Kubernetes is detected by the variables it sets in every pod. */
export function cloudPlatform(variables: Variables): 'kubernetes' | 'none' {
  return variables['KUBERNETES_SERVICE_HOST'] && variables['KUBERNETES_SERVICE_PORT'] ? 'kubernetes' : 'none';
}
