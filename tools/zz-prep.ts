import { pythonWithJax } from '../tests/support/jax.ts';
import { buildFaults } from './mutation/library.ts';
console.log('PY', pythonWithJax());
console.log('FAULTS', await buildFaults());
