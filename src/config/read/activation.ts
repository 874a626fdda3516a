import { ConfigurationFailure, ConversionProblem, from, problem } from '../problem.js';
import { sanitizeValue } from '../../kernel/redaction/secrets.js';
import { parseProfileExpression, type ProfileExpression } from './profile-expression.js';
import type { Variables } from './variables.js';
import type { ConfiguredText } from './location.js';

/** The conditions `app.config.activate.*` of a document; several values of one key are alternatives. */
export class Activation {
  private readonly conditions: readonly ProfileExpression[];
  private readonly isOnPlatform: boolean;

  constructor(onProfile: readonly ConfiguredText[], onCloudPlatform: readonly ConfiguredText[], variables: Variables) {
    this.conditions = onProfile.map(conditionOf);
    const platform = platformOf(variables);
    this.isOnPlatform = onCloudPlatform.length === 0 || onCloudPlatform.some(({ text }) => text === platform);
  }

  get dependsOnProfiles(): boolean {
    return this.conditions.length > 0;
  }

  /** Names of the profiles that the conditions mention. */
  get profileNames(): readonly string[] {
    return this.conditions.flatMap(({ names }) => names);
  }

  /** Until profiles are chosen, a document with a profile condition is inactive. */
  isActive(profiles: ReadonlySet<string> | undefined): boolean {
    if (!this.isOnPlatform) return false;
    if (!this.dependsOnProfiles) return true;
    return profiles !== undefined && this.conditions.some(({ test }) => test(profiles));
  }
}

function conditionOf({ text, origin, isSecret }: ConfiguredText): ProfileExpression {
  const expression = parseProfileExpression(text);
  if (!(expression instanceof ConversionProblem)) return expression;
  const shownText = sanitizeValue(text, isSecret);
  throw new ConfigurationFailure([
    problem(
      `The condition "${shownText}" is not a valid profile expression`,
      'Use names with !, & and |, and parentheses where & and | are combined.',
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
function platformOf(variables: Variables): 'kubernetes' | 'none' {
  return variables['KUBERNETES_SERVICE_HOST'] && variables['KUBERNETES_SERVICE_PORT'] ? 'kubernetes' : 'none';
}
