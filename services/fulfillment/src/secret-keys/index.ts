export { type SecretKeyRing, type SecretKeysOptions, secretKeysService } from './secret-keys-service.ts';
