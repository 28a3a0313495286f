import type { SummaryHead } from '@quartermaster/api/inventory-views';
import type { ComponentType } from 'react';
import type { ConsolePart } from '../../installation-view.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import type { Session } from '../session/session.ts';

/** What the router found in the address: name of the parameter -> value. */
export type RouteParams = Readonly<Record<string, string | undefined>>;

/** What is shown at an address. */
export type View = ComponentType<{ readonly params: RouteParams }>;

/** What every page follows: the cluster as a whole, undefined while it is not known, and what runs. */
export interface Glance {
  readonly summary: SummaryHead | undefined;
  readonly parts: readonly ConsolePart[];
}

/** A page of the console: one folder, and one entry in the list of pages. */
export interface ConsolePage {
  readonly label: string;
  /** Where its entry in the side bar leads. */
  readonly href: string;
  /** Pressed after `g`. */
  readonly key: string;
  /** Under which heading of the side bar it stands; under none when left out. */
  readonly section?: string | undefined;
  /** Whose word it shows: with the silence of this one it goes stale. Default: the cluster's. */
  readonly source?: 'cluster' | 'fulfillment' | 'market' | undefined;
  /** Who it is for, and whether the cluster service may answer them. Default: those who run the installation. */
  readonly isFor?: ((session: Session, hasClusterService: boolean) => boolean) | undefined;
  /** Whether it shows what the cluster service says: not there where the console has none, or it turns the caller away. */
  readonly isOfClusterService?: boolean | undefined;
  readonly routes: readonly { readonly path: string; readonly component: View }[];
  /** How many things on it need a person. */
  readonly attention?: ((glance: Glance) => number) | undefined;
  /** Objects on it that need a person, by a filter of the API. */
  readonly troubles?: { readonly kind: ObjectKind; readonly filter: string } | undefined;
  /** Where it shows what the search found: kind -> address of the thing with this id. */
  readonly finds?: Readonly<Record<string, (id: string) => string>> | undefined;
}

/** Whether the page is for this session. `hasClusterService`: whether the cluster service may answer it. */
export const isShown = ({ isFor, isOfClusterService = false }: ConsolePage, session: Session, hasClusterService: boolean): boolean =>
  (!isOfClusterService || hasClusterService) && (isFor === undefined ? session.readsInventory : isFor(session, hasClusterService));

/** The page that an address belongs to. */
export function pageAt(pages: readonly ConsolePage[], location: string): ConsolePage | undefined {
  return pages.find(({ href }) => (href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`)));
}
