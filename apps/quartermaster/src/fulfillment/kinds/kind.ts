import type { JsonObject } from '@bufbuild/protobuf';
import { type KindNames, kindNames } from '@quartermaster/kernel';
import type { Option } from 'commander';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { LoginServer } from '../../server/servers.ts';
import type { Column, ColumnLook, StateOf } from './columns.ts';

export type KindPlural = 'hosts' | 'host-classes' | 'cluster-templates' | 'clusters' | 'hubs' | 'host-pools' | MarketPlural;
export type MarketPlural = 'deployments' | 'orders' | 'bids' | 'leases' | 'owner-keys';

/**
 * A kind of objects: everything that commands know of it and not of the others. Free of its contract, so that a command line
 * is understood before that is loaded.
 */
export interface Kind extends TypedKind {
  /** That of the fulfillment service unless given. */
  readonly server?: LoginServer | undefined;
  readonly summary: string;
  readonly columns: readonly Column[];
  /** How its state is told. Absent: all that it can be is there, or on its way out. */
  readonly stateOf?: StateOf | undefined;
  /** Fields that hold the id of another object. */
  readonly references: readonly (readonly [path: string, to: KindPlural])[];
  /** The field with sets of hosts, each of a class. */
  readonly sets?: string | undefined;
  /** What lists are ordered by where nobody says so; the name unless given. */
  readonly order?: string | undefined;
  /** What is shown of one instead of its fields: title -> text. */
  readonly sections?: ((object: JsonObject, look: ColumnLook) => Readonly<Record<string, string>>) | undefined;
  /** Others that are shown with one of it. */
  readonly related?: readonly RelatedKind[] | undefined;
  /** Whether OWNER/DSEQ/GSEQ/OSEQ names one of it. */
  readonly isOfOrder?: boolean | undefined;
  /** Says where the provider's own view of all of them is, or of this one. */
  readonly providerView?: ((object?: JsonObject) => string) | undefined;
  /** Whether it has fields that are shown only to those who ask to reveal them. */
  readonly hasSecrets?: boolean | undefined;
  /** How it is made without a file. */
  readonly creation?: KindCreation<never> | undefined;
}

export interface RelatedKind {
  readonly plural: KindPlural;
  /** The field with the id of what they belong to. Absent: their own ids begin with it. */
  readonly reference?: string | undefined;
}

/** Its names in the API, and as it is typed. */
interface TypedKind extends Omit<KindNames, 'plural' | 'singular'> {
  /** As it is typed: `get host-classes`. */
  readonly plural: KindPlural;
  readonly singular: string;
  /** Other ways to type it. */
  readonly aliases: readonly string[];
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

/** The names of the kind of a message of the contract. */
export function namesOfKind(message: string): TypedKind {
  const { plural, singular, ...names } = kindNames(message);
  const one = dashed(singular);
  const joined = one === singular ? [] : [plural, singular].map((words) => words.replaceAll(' ', ''));
  return { ...names, plural: dashed(plural) as KindPlural, singular: one, aliases: [one, ...joined] };
}

const dashed = (words: string): string => words.replaceAll(' ', '-');
