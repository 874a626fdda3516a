const declared = new Set<string>();

/**
 * Declares a component of health beside the keys of its subject: rules then know its name before the service is made, and
 * whether or not the subject is configured.
 */
export function healthComponent(name: string): string {
  declared.add(name);
  return name;
}

/** Complete once the classes of all keys are loaded. */
export function declaredComponents(): readonly string[] {
  return [...declared];
}
