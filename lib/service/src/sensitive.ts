/** Which names of fields, and which parts of texts, hold what must not be shown. Pure. */
import { hidden } from './config/secret.ts';

/** How the name of a field with a secret ends, in lower case and without separators: `db-password`, `clientKeyData`, `API_KEY`. */
const endings = [
  'password',
  'passwd',
  'passphrase',
  'token',
  'secret',
  'secretkey',
  'authorization',
  'kubeconfig',
  'pullsecret',
  'dockerconfigjson',
  'clientkey',
  'clientkeydata',
  'privatekey',
  'apikey',
  'accesskey',
  'credential',
  'cookie',
  'sessionid',
];

const sensitiveName = new RegExp(`(?:${endings.join('|')})s?$`);

/** `secretName` and `token-expiry` describe a secret and are shown; `token` and `clientSecret` are one and are not. */
export function isSensitiveName(name: string): boolean {
  return sensitiveName.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}

const patterns: readonly (readonly [RegExp, string])[] = [
  // user:password@ of a URL
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*:[^\s/?#]*@/gi, `$1${hidden}@`],
  // the value of an Authorization header, wherever it is quoted
  [/\b(bearer|basic)\s+[a-z0-9+/_.~-]{6,}=*/gi, `$1 ${hidden}`],
  // a JSON Web Token
  [/\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, hidden],
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, hidden],
  // token=… of a query or a form
  [/\b((?:[\w-]*[_-])?(?:password|passwd|token|secret|api[_-]?key))=[^\s&"']+/gi, `$1=${hidden}`],
];

/** The text without the credentials that can be told by their form. A last resort: what is known to be secret belongs into a `Secret`. */
export function withoutCredentials(text: string): string {
  // Most texts are short and have none of the marks, and every log line passes here.
  if (!/:\/\/|bearer|basic|eyJ|-----BEGIN|=/i.test(text)) return text;
  return patterns.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text);
}
