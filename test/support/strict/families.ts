// Judges the messages of every test also by the request that each family of endpoints would get for them.
import { addFamilies } from '../message-pairing.ts';
import { familyProblems } from './family-problems.ts';

addFamilies(familyProblems);
