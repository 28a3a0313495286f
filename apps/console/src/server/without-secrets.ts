import type { ConsolePart, Installation } from '../installation-view.ts';

const secretName = /token|password|passwd|secret|credential|private.?key|authorization|cookie/i;
const secretText = /-----BEGIN|\bBearer\s+\S|eyJ[\w-]{10,}\.[\w-]{10,}\./;
const userInfo = /(\w+:\/\/)[^/\s@]*@/g;

const hidden = '(hidden)';

/**
 * The last guard before a snapshot leaves the process: a fact that is named or looks like a secret is hidden, passwords in
 * addresses are cut out, and a kubeconfig is a path or nothing. Snapshots without any are returned as they are.
 */
export function withoutSecrets(snapshot: Installation): Installation {
  const parts = snapshot.parts.map(cleanPart);
  const arePartsClean = parts.every((part, index) => part === snapshot.parts[index]);
  const installation = cleanInstallation(snapshot.installation);
  const changes = snapshot.changes?.map((change) => ({ ...change, reason: change.reason && cleanText(change.reason) }));
  const areChangesClean = changes?.every(({ reason }, index) => reason === snapshot.changes?.[index]?.reason) ?? true;
  if (arePartsClean && areChangesClean && installation === snapshot.installation) return snapshot;
  return { ...snapshot, installation, parts: arePartsClean ? snapshot.parts : parts, changes };
}

function cleanPart(part: ConsolePart): ConsolePart {
  const facts = Object.fromEntries(Object.entries(part.facts).map(([name, value]) => [name, cleanFact(name, value)]));
  const reason = part.reason === undefined ? undefined : cleanText(part.reason);
  const isClean = reason === part.reason && Object.entries(facts).every(([name, value]) => part.facts[name] === value);
  return isClean ? part : { ...part, facts, reason };
}

function cleanInstallation(installation: Installation['installation']): Installation['installation'] {
  const server = cleanText(installation.server);
  const kubeconfig = /[\r\n]/.test(installation.kubeconfig) ? hidden : cleanText(installation.kubeconfig);
  const isClean = server === installation.server && kubeconfig === installation.kubeconfig;
  return isClean ? installation : { ...installation, server, kubeconfig };
}

const cleanFact = (name: string, value: string): string => (secretName.test(name) ? hidden : cleanText(value));

const cleanText = (text: string): string => (secretText.test(text) ? hidden : text.replace(userInfo, '$1'));
