export { secretKeysService } from './secret-keys-service.ts';
