import { ExactSum } from '../../ledger/amounts/exact-sum.ts';

/** A PersistentVolume, as far as space is concerned. */
export interface VolumeFacts {
  /** Empty for a volume of no class. */
  readonly class: string;
  readonly bytes: number;
  /** The CSI driver; empty for other volumes. */
  readonly driver: string;
  /** Of the driver: where the volume lies. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The only node on which it can be used. */
  readonly node?: string | undefined;
  readonly claimUid?: string | undefined;
  /** What made it, by its own account; it outlives the class. */
  readonly provisioner?: string | undefined;
  /** Of a volume that is a folder of its node: the one in which that is. */
  readonly folder?: string | undefined;
  readonly createdAt?: number | undefined;
}

/** A PersistentVolumeClaim, as far as space is concerned. */
export interface ClaimFacts {
  readonly class: string;
  readonly bytes: number;
  /** Empty while it waits for one. */
  readonly volumeName: string;
  /** The node that the scheduler chose for it. */
  readonly node?: string | undefined;
  readonly deleting: boolean;
}

/** Volumes of one class in one place, added up. */
export interface VolumeGroup {
  readonly class: string;
  /** Tells the places of a class apart. */
  readonly place: string;
  readonly driver: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly node?: string | undefined;
  readonly provisioner?: string | undefined;
  readonly folder?: string | undefined;
  readonly bytes: number;
  readonly volumes: number;
}

export interface Promised {
  readonly bytes: number;
  readonly volumes: number;
}

/** What counts for a claim. */
export interface ClaimPromise {
  readonly class: string;
  readonly place: string;
  readonly bytes: number;
  /** Of them, what the claim itself asks for. */
  readonly requestedBytes: number;
}

/** What has been promised to hold, whether or not it is written. */
export interface PromisedVolumes {
  groups(): Iterable<VolumeGroup>;
  groupsOf(className: string): Iterable<VolumeGroup>;
  ofClass(className: string): Promised;
  /** Place -> bytes of the volumes there that were created after that time. Looks at every volume. */
  madeSince(className: string, time: number): ReadonlyMap<string, number>;
}

type Counted = Omit<VolumeGroup, 'volumes' | 'place'>;

interface SummedGroup {
  readonly sum: ExactSum;
  readonly group: VolumeGroup;
}

/** The attributes that tell where a volume lies. Others, such as its own name, would make every volume a group. */
const placeAttributes = ['clusterID', 'pool', 'dataPool', 'fsName'];

/**
 * Adds up volumes and claims, each promise once: a volume counts with the larger of its size and what its claim asks for (it is being grown), a
 * claim counts itself only while no volume is there for it. Volumes count until they are deleted, released ones too: their data is still there.
 * One change costs the same however many volumes there are.
 */
export class VolumeLedger implements PromisedVolumes {
  readonly #volumes = new Map<string, VolumeFacts>(); // name -> volume
  readonly #claims = new Map<string, ClaimFacts>(); // uid -> claim
  readonly #volumeOfClaim = new Map<string, string>(); // claim uid -> volume name
  readonly #claimOfVolume = new Map<string, string>(); // volume name -> uid of the claim that names it
  readonly #counted = new Map<string, Counted>(); // what counts -> how
  readonly #groups = new Map<string, Map<string, SummedGroup>>(); // class -> place -> group
  readonly #claimChanged: (uid: string) => void;

  /** `claimChanged` is told the uids of claims for which something else may count than before. */
  constructor(claimChanged: (uid: string) => void = () => {}) {
    this.#claimChanged = claimChanged;
  }

  putVolume(name: string, facts: VolumeFacts): void {
    const before = this.#volumes.get(name);
    if (before?.claimUid !== undefined && this.#volumeOfClaim.get(before.claimUid) === name) this.#volumeOfClaim.delete(before.claimUid);
    this.#volumes.set(name, facts);
    if (facts.claimUid !== undefined) this.#volumeOfClaim.set(facts.claimUid, name);
    this.#recount([name], [before?.claimUid, facts.claimUid, this.#claimOfVolume.get(name)]);
  }

  removeVolume(name: string): void {
    const before = this.#volumes.get(name);
    if (before === undefined) return;
    this.#volumes.delete(name);
    if (before.claimUid !== undefined && this.#volumeOfClaim.get(before.claimUid) === name) this.#volumeOfClaim.delete(before.claimUid);
    this.#recount([name], [before.claimUid, this.#claimOfVolume.get(name)]);
  }

  putClaim(uid: string, facts: ClaimFacts): void {
    const before = this.#claims.get(uid);
    if (before !== undefined && this.#claimOfVolume.get(before.volumeName) === uid) this.#claimOfVolume.delete(before.volumeName);
    this.#claims.set(uid, facts);
    const named = this.#claimOfVolume.get(facts.volumeName);
    if (facts.volumeName !== '') this.#claimOfVolume.set(facts.volumeName, uid);
    this.#recount([before?.volumeName, facts.volumeName, this.#volumeOfClaim.get(uid)], [uid, named]);
  }

  removeClaim(uid: string): void {
    const before = this.#claims.get(uid);
    if (before === undefined) return;
    this.#claims.delete(uid);
    if (this.#claimOfVolume.get(before.volumeName) === uid) this.#claimOfVolume.delete(before.volumeName);
    this.#recount([before.volumeName, this.#volumeOfClaim.get(uid)], [uid]);
  }

  *groups(): Iterable<VolumeGroup> {
    for (const className of this.#groups.keys()) yield* this.groupsOf(className);
  }

  *groupsOf(className: string): Iterable<VolumeGroup> {
    for (const { group } of this.#groups.get(className)?.values() ?? []) yield group;
  }

  ofClass(className: string): Promised {
    let bytes = 0;
    let volumes = 0;
    for (const group of this.groupsOf(className)) {
      bytes += group.bytes;
      volumes += group.volumes;
    }
    return { bytes: Math.min(bytes, Number.MAX_SAFE_INTEGER), volumes };
  }

  madeSince(className: string, time: number): ReadonlyMap<string, number> {
    const made = new Map<string, number>();
    for (const [name, { class: ofClass, createdAt }] of this.#volumes) {
      if (ofClass !== className || createdAt === undefined || createdAt <= time) continue;
      const counted = this.#counted.get(`volume/${name}`);
      if (counted === undefined) continue;
      const place = placeOf(counted);
      made.set(place, Math.min((made.get(place) ?? 0) + counted.bytes, Number.MAX_SAFE_INTEGER));
    }
    return made;
  }

  /** The volume of a claim, or itself while it has none. Undefined where nothing counts for it: the volume that it names is another's, or it gets none any more. */
  promiseOf(claimUid: string): ClaimPromise | undefined {
    const claim = this.#claims.get(claimUid);
    if (claim === undefined) return undefined;
    const volume = this.#volumeOfClaim.get(claimUid) ?? claim.volumeName;
    const isVolume = this.#volumes.has(volume);
    if (isVolume && this.#ownerOf(volume) !== claimUid) return undefined;
    const counted = this.#counted.get(isVolume ? `volume/${volume}` : `claim/${claimUid}`);
    return counted && { class: counted.class, place: placeOf(counted), bytes: counted.bytes, requestedBytes: claim.bytes };
  }

  #ownerOf(volume: string): string | undefined {
    return this.#volumes.get(volume)?.claimUid ?? this.#claimOfVolume.get(volume);
  }

  #recount(volumes: readonly (string | undefined)[], claims: readonly (string | undefined)[]): void {
    for (const name of volumes) if (name !== undefined && name !== '') this.#count(`volume/${name}`, this.#volumeCounts(name));
    for (const uid of claims) {
      if (uid === undefined) continue;
      this.#count(`claim/${uid}`, this.#claimCounts(uid));
      this.#claimChanged(uid);
    }
  }

  #volumeCounts(name: string): Counted | undefined {
    const volume = this.#volumes.get(name);
    if (volume === undefined) return undefined;
    const claim = this.#claims.get(this.#ownerOf(name) ?? '');
    const { class: className, driver, attributes, node, provisioner, folder } = volume;
    const place = Object.fromEntries(placeAttributes.flatMap((key) => (attributes[key] === undefined ? [] : [[key, attributes[key]]])));
    const bytes = Math.max(volume.bytes, claim?.bytes ?? 0);
    return { class: className, driver, attributes: place, bytes, node, provisioner, folder };
  }

  #claimCounts(uid: string): Counted | undefined {
    const claim = this.#claims.get(uid);
    if (claim === undefined || claim.class === '' || this.#volumeOfClaim.has(uid) || this.#volumes.has(claim.volumeName)) return undefined;
    // One that is being deleted before it got its volume never gets one.
    if (claim.deleting && claim.volumeName === '') return undefined;
    const { class: className, bytes, node } = claim;
    return { class: className, driver: '', attributes: {}, bytes, node };
  }

  #count(what: string, counted: Counted | undefined): void {
    const before = this.#counted.get(what);
    if (before !== undefined) this.#add(before, 'subtract');
    if (counted === undefined) {
      this.#counted.delete(what);
      return;
    }
    this.#counted.set(what, counted);
    this.#add(counted, 'add');
  }

  #add(counted: Counted, how: 'add' | 'subtract'): void {
    const { class: className } = counted;
    const groups = this.#groups.get(className) ?? new Map<string, SummedGroup>();
    this.#groups.set(className, groups);
    const place = placeOf(counted);
    const { sum, group } = groups.get(place) ?? { sum: new ExactSum(), group: { ...counted, place, volumes: 0 } };
    sum[how](counted.bytes);
    const volumes = group.volumes + (how === 'add' ? 1 : -1);
    if (volumes > 0) groups.set(place, { sum, group: { ...group, bytes: sum.value(), volumes } });
    else groups.delete(place);
    if (groups.size === 0) this.#groups.delete(className);
  }
}

const placeOf = ({ driver, attributes, node, provisioner, folder }: Counted): string =>
  JSON.stringify([driver, node, provisioner, folder, ...placeAttributes.map((key) => attributes[key])]);
