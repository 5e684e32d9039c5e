import { type PreviewMintRequest, previewMintRequestSchema } from '@session-launch/contract/mint-requests';
import type { Directory } from '../content/directory.ts';
import type { LaunchableExperience } from '../content/experiences.ts';
import { type DraftDeps, draftSession } from '../minting/draft.ts';
import { type LaunchForm, launchAnswer } from '../minting/endpoints.ts';
import { LaunchRecorder } from '../minting/launch-recorder.ts';
import type { MintRequest } from '../minting/mint-request.ts';
import { parseOrigin } from '../origins/origin.ts';
import { ApiError } from '../primitives/errors.ts';
import { canonicalLocale } from '../primitives/locale.ts';
import { reader } from '../primitives/validator.ts';
import type { LookUpClient } from '../store/cache/look-ups.ts';
import type { Database } from '../store/database.ts';
import type { PreviewCodes } from './preview-codes.ts';
import type { Preview } from './previews.ts';
import { redeem, requireUsable } from './redeem.ts';

export interface PreviewMintDeps extends DraftDeps {
  database: Database;
  directory: Directory;
  previewCodes: PreviewCodes;
}

/** The parts of a request that the exchange of a code uses. */
export interface PreviewCall {
  body: unknown;
  origin: string | undefined;
  acceptLanguage: string | undefined;
  client: LookUpClient;
}

const previewLaunch: LaunchForm = { source: 'preview', limited: false, answer: launchAnswer };
const readBody = reader(previewMintRequestSchema);

/** Exchanges the code of a preview for a launch of its revision. Returns the JSON of the response. */
export async function mintPreview(deps: PreviewMintDeps, call: PreviewCall): Promise<string> {
  const { database, directory, signer, transports } = deps;
  const asked = readBody(call.body); // 400
  const preview = await deps.previewCodes.find(asked.code, call.client); // 404
  const experience = await previewed(directory, preview); // 404
  const origin = parseOrigin(call.origin ?? '');
  const caller = { livemode: false, ...(origin === undefined ? {} : { origin }) };
  const draft = draftSession(deps, previewLaunch, call, caller, requestOf(preview, asked), experience);
  // A preview that is used up returns 404, also if the request has other errors.
  if (draft.session() instanceof ApiError) await requireUsable(database, preview.id);
  const recorder = new LaunchRecorder({
    recorder: {
      record: async ({ session }) => {
        await redeem(database, preview.id, session!); // 404, 429
        return { outcome: 'recorded' };
      },
    },
    directory,
    signer,
    transports,
  });
  return (await recorder.record(draft, undefined, [])).body; // 400
}

/** The experience with the revision of the preview in place of the one that mints launch. */
async function previewed(directory: Directory, preview: Preview): Promise<LaunchableExperience> {
  const { projectId, experienceId, revision } = preview;
  const experience = await directory.experience(experienceId);
  if (experience === null || experience.status === 'archived') throw new ApiError('PREVIEW_NOT_FOUND');
  return { ...experience, revision: await directory.revision(projectId, experienceId, revision) };
}

function requestOf(preview: Preview, asked: PreviewMintRequest): MintRequest {
  return {
    experienceId: preview.experienceId,
    locales: {
      locale: canonical(asked.locale) ?? preview.locale ?? undefined,
      secondaryLocale: canonical(asked.secondaryLocale) ?? preview.secondaryLocale ?? undefined,
    },
    mode: undefined,
    speechInputMode: undefined,
    userId: null,
    given: { speechOnly: asked.speechOnly ?? false },
  };
}

function canonical(tag: string | undefined): string | undefined {
  return tag === undefined ? undefined : canonicalLocale(tag);
}
