// Made from api/crds/manifest.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/** What a lease runs. The object has the name of the lease's namespace. */
export interface Manifest {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: ManifestSpec | undefined;
}

export interface ManifestSpec {
  readonly lease_id?: ManifestLeaseId | undefined;
  readonly group?: ManifestObjectGroup | undefined;
  /** SHA-256 of the manifest of the whole deployment, hexadecimal. */
  readonly hash?: string | undefined;
  /** The Secret with the values that are not here, in the same namespace. Empty: there are none. */
  readonly secret?: string | undefined;
  /** service/volume of volumes whose loss the tenant has confirmed with this manifest. */
  readonly confirmed?: readonly string[] | undefined;
}

export interface ManifestLeaseId {
  readonly owner?: string | undefined;
  /** A number of 64 bits. */
  readonly dseq?: string | undefined;
  readonly gseq?: number | undefined;
  readonly oseq?: number | undefined;
  readonly provider?: string | undefined;
}

export interface ManifestObjectGroup {
  readonly name?: string | undefined;
  readonly services?: readonly ManifestObjectService[] | undefined;
}

export interface ManifestObjectService {
  readonly name?: string | undefined;
  readonly image?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  /** NAME=value */
  readonly env?: readonly string[] | undefined;
  /** Variables whose values are in the Secret. */
  readonly sensitive_env?: readonly ManifestSensitiveEnv[] | undefined;
  readonly resources?: ManifestObjectResources | undefined;
  readonly count?: number | undefined;
  readonly expose?: readonly ManifestObjectExpose[] | undefined;
  readonly params?: ManifestObjectParams | undefined;
  readonly scheduler_params?: ManifestSchedulerParams | undefined;
  readonly credentials?: ManifestObjectCredentials | undefined;
}

export interface ManifestSensitiveEnv {
  readonly name: string;
  /** Of the Secret. */
  readonly key: string;
}

export interface ManifestObjectResources {
  readonly id?: number | undefined;
  readonly cpu?: ManifestObjectUnits | undefined;
  readonly gpu?: ManifestObjectGpu | undefined;
  readonly memory?: ManifestObjectMemory | undefined;
  readonly storage?: readonly ManifestObjectStorage[] | undefined;
}

export interface ManifestObjectExpose {
  readonly port?: number | undefined;
  readonly external_port?: number | undefined;
  readonly proto?: string | undefined;
  readonly service?: string | undefined;
  readonly global?: boolean | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly ip?: string | undefined;
  readonly endpoint_sequence_number?: number | undefined;
  readonly http_options?: ManifestObjectHttpOptions | undefined;
}

export interface ManifestObjectParams {
  readonly storage?: readonly ManifestObjectMount[] | undefined;
  readonly permissions?: ManifestObjectPermissions | undefined;
}

export interface ManifestSchedulerParams {
  readonly runtime_class?: string | undefined;
  readonly resources?: ManifestSchedulerResources | undefined;
}

export interface ManifestObjectCredentials {
  readonly host?: string | undefined;
  readonly email?: string | undefined;
  readonly username?: string | undefined;
  /** Empty in what we write: see password_key. */
  readonly password?: string | undefined;
  /** Of the Secret. */
  readonly password_key?: string | undefined;
}

export interface ManifestObjectUnits {
  readonly units?: number | undefined;
  readonly attributes?: readonly ManifestAttribute[] | undefined;
}

export interface ManifestObjectGpu {
  readonly units?: number | undefined;
  readonly attributes?: readonly ManifestAttribute[] | undefined;
}

export interface ManifestObjectMemory {
  /** Bytes. */
  readonly size?: string | undefined;
  readonly attributes?: readonly ManifestAttribute[] | undefined;
}

export interface ManifestObjectStorage {
  readonly name?: string | undefined;
  /** Bytes. */
  readonly size?: string | undefined;
  readonly attributes?: readonly ManifestAttribute[] | undefined;
}

export interface ManifestObjectHttpOptions {
  readonly max_body_size?: number | undefined;
  readonly read_timeout?: number | undefined;
  readonly send_timeout?: number | undefined;
  readonly next_tries?: number | undefined;
  readonly next_timeout?: number | undefined;
  readonly next_cases?: readonly string[] | undefined;
  readonly proxy_buffer_size?: number | undefined;
}

export interface ManifestObjectMount {
  readonly name?: string | undefined;
  readonly mount?: string | undefined;
  readonly readOnly?: boolean | undefined;
}

export interface ManifestObjectPermissions {
  readonly read?: readonly string[] | undefined;
}

export interface ManifestSchedulerResources {
  readonly gpu?: ManifestSchedulerGpu | undefined;
}

export interface ManifestAttribute {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
}

export interface ManifestSchedulerGpu {
  readonly vendor?: string | undefined;
  readonly model?: string | undefined;
  readonly memory_size?: string | undefined;
  readonly interface?: string | undefined;
}

export const manifestType: ResourceType<Manifest> = {
  group: 'akash.network',
  version: 'v2beta2',
  kind: 'Manifest',
  plural: 'manifests',
  namespaced: true,
};
