import { kindNames } from '@quartermaster/kernel';
import type { Session } from '../session/session.ts';

/** A kind of object of the API. */
export interface ObjectKind {
  /** In paths and in the audit log: `host_classes`. */
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  /** The service of both APIs: `HostClasses`. */
  readonly service: string;
  /** What both APIs call one object: `HostClass`. */
  readonly message: string;
  /** The field of an event that holds the object: `host_class`. */
  readonly payload: string;
  /** Where the console lists them. */
  readonly href: string;
  /** Where they are, if not with the fulfillment service. */
  readonly owner?: 'market' | undefined;
  /** Who writes them, for those who see the actions and may not do them. Without it they are not shown the actions. */
  readonly writers?: string | undefined;
}

function kindOf(message: string, called: Pick<ObjectKind, 'singular' | 'plural'> = kindNames(message)): ObjectKind {
  const { service, stored, field } = kindNames(message);
  const { singular, plural } = called;
  return { name: stored, singular, plural, service, message, payload: field, href: `/${plural.replaceAll(' ', '-')}` };
}

export const hostKind = kindOf('Host');
export const hostClassKind = kindOf('HostClass');
export const clusterKind = kindOf('Cluster');
export const templateKind = kindOf('ClusterTemplate', { singular: 'template', plural: 'templates' });
export const hubKind: ObjectKind = { ...kindOf('Hub'), writers: 'Hubs are written by administrators: secrets are sent to them.' };
export const hostPoolKind = kindOf('HostPool');

export const objectKinds: readonly ObjectKind[] = [hostKind, hostClassKind, clusterKind, templateKind, hubKind, hostPoolKind];

const ofMarket = (message: string): ObjectKind => ({ ...kindOf(message), owner: 'market' });

export const deploymentKind = ofMarket('Deployment');
export const orderKind = ofMarket('Order');
export const bidKind = ofMarket('Bid');
export const leaseKind = ofMarket('Lease');

export const marketKinds: readonly ObjectKind[] = [deploymentKind, orderKind, bidKind, leaseKind];

/** Who is asked for them, to people. */
export const ownerTitle = ({ owner }: ObjectKind): string => owner ?? 'fulfillment service';

export const kindNamed = (name: string): ObjectKind | undefined => objectKinds.find((kind) => kind.name === name);

export type Verb = 'List' | 'Get' | 'Create' | 'Update' | 'Preview' | 'Delete' | 'Close' | 'Accept' | 'CreateToken';

/** The package of its methods and messages. */
const packageOf = ({ isStaff }: Session, { owner }: ObjectKind): string =>
  owner === 'market' ? 'quartermaster.market' : isStaff ? 'private' : 'fulfillment';

/** Where the objects of a kind are for this session. */
export const kindPath = (session: Session, kind: ObjectKind): string => `/api/${kind.owner ?? packageOf(session, kind)}/v1/${kind.name}`;

export const objectPath = (session: Session, kind: ObjectKind, id: string): string =>
  `${kindPath(session, kind)}/${encodeURIComponent(id)}`;

/** What the API that this session sees calls an object of the kind: `private.v1.HostClass`. */
export const messageOf = (session: Session, kind: ObjectKind): string => `${packageOf(session, kind)}.v1.${kind.message}`;

/** Whether the session may do this to objects of the kind. */
export const may = (session: Session, verb: Verb, kind: ObjectKind): boolean =>
  session.rights.has(`/${packageOf(session, kind)}.v1.${kind.service}/${verb}`);

export const objectHref = ({ href }: ObjectKind, id: string): string => `${href}/${encodeURIComponent(id)}`;

/** The list of the objects that a filter of the API asks for. */
export const listHref = ({ href }: ObjectKind, filter: string): string => `${href}?q=${encodeURIComponent(filter)}`;
