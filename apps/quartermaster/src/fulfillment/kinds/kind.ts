import type { JsonObject } from '@bufbuild/protobuf';
import type { Option } from 'commander';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { Column } from './columns.ts';

export type KindPlural = 'hosts' | 'host-classes' | 'cluster-templates' | 'clusters' | 'hubs' | 'host-pools';

/**
 * A kind of the fulfillment service: everything that commands know of it and not of the others. Free of its contract, so that a command line
 * is understood before that is loaded.
 */
export interface Kind extends KindNames {
  readonly summary: string;
  readonly columns: readonly Column[];
  /** Fields that hold the id of another object. */
  readonly references: readonly (readonly [path: string, to: KindPlural])[];
  /** The field with sets of hosts, each of a class. */
  readonly sets?: string | undefined;
  /** Whether it has fields that are shown only to those who ask to reveal them. */
  readonly hasSecrets?: boolean | undefined;
  /** How it is made without a file. */
  readonly creation?: KindCreation<never> | undefined;
}

interface KindNames {
  /** As it is typed: `get host-classes`. */
  readonly plural: KindPlural;
  readonly singular: string;
  /** Other ways to type it. */
  readonly aliases: readonly string[];
  /** Of its message, and the `kind` of a document: `HostClass`. */
  readonly message: string;
  /** Of events and errors: `host_class`. */
  readonly field: string;
  /** Of the audit log: `host_classes`. */
  readonly stored: string;
}

export interface KindCreation<Flags> {
  readonly summary: string;
  readonly options: readonly Option[];
  /** Its fields besides id and metadata. `find` reads an object that they depend on by its name. */
  readonly fields: (flags: Flags, find: (kind: KindPlural, name: string) => Promise<JsonObject>) => JsonObject | Promise<JsonObject>;
}

export interface CreateFlags extends ServerFlags {
  readonly id?: string | undefined;
  readonly label: readonly string[];
  readonly tenant: readonly string[];
  readonly dryRun: boolean;
  readonly output: 'text' | 'json' | 'yaml' | 'name';
}

/** The names of a kind, by its plural and its message. */
export function namesOfKind(plural: KindPlural, message: string): KindNames {
  const singular = plural.replace(/(ss)es$/, '$1').replace(/([^s])s$/, '$1');
  const joined = [plural, singular].flatMap((word) => (word.includes('-') ? [word.replaceAll('-', '')] : []));
  const [field, stored] = [singular.replaceAll('-', '_'), plural.replaceAll('-', '_')];
  return { plural, singular, aliases: [singular, ...joined], message, field, stored };
}
