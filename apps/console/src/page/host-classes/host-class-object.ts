import type { ApiObject } from '../api/api-object.ts';

/** A host class by the names of the contract, the same in both APIs. */
export interface HostClassObject extends ApiObject {
  readonly title: string;
  readonly description: string;
}
