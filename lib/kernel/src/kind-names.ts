/** What a kind of objects is called, and where. */
export interface KindNames {
  /** Of its message, and the `kind` of a document: `HostClass`. */
  readonly message: string;
  /** Of its service: `HostClasses`. */
  readonly service: string;
  /** Of events and errors: `host_class`. */
  readonly field: string;
  /** Of tables, paths and the audit log: `host_classes`. */
  readonly stored: string;
  /** To people: `host class`. */
  readonly singular: string;
  /** To people: `host classes`. */
  readonly plural: string;
}

/** All names of a kind are made from that of its message: nobody writes the others down. */
export function kindNames(message: string): KindNames {
  const singular = message.replaceAll(/\B[A-Z]/g, ' $&').toLowerCase();
  const plural = pluralOf(singular);
  return { message, service: pluralOf(message), field: underscored(singular), stored: underscored(plural), singular, plural };
}

const pluralOf = (word: string): string => `${word}${word.endsWith('s') ? 'es' : 's'}`;
const underscored = (words: string): string => words.replaceAll(' ', '_');
