// Stop phrases in Spanish. "No" needs a pause after it: "no, para" stops, "no para" says that something does not stop.
import type { StopLexicon } from './lexicon.ts';

export const spanish: StopLexicon = {
  language: 'es',
  lead: `
    (ok|okay|okey|vale|bueno|bien|listo|dale|de acuerdo|está bien) / (eh|ey|ay|ah|oh|uy|ups|uf|mmm|hmm|em|este) / (oye|oiga|oíd|mira|mire|hola|che|venga|anda)
    / (no,|no no,|no no no,|nono,|nada,) / sí / (por favor|porfa|porfis|porfavor|please|te lo ruego) / ya / (espera|espere|esperá|espérate|un momento|un segundo|a ver)
    / (mejor|en realidad|la verdad|de hecho|al final|pensándolo bien|entonces|pues|total|simplemente|solo|solamente) / (ahora|ahora mismo|inmediatamente)
    / (perdón|perdona|perdone|disculpa|disculpe|lo siento) / gracias / (he dicho|te he dicho|dije|te dije|te digo|repito)( que|)
    / (hombre|tío|tía|amigo|che|joder|coño|mierda|dios|por dios|bot|robot) / (que|pero) / (he cambiado|cambié) de (idea|opinión) / me arrepentí`,
  stop: `
    pare / paren / parad / cancela / cancelá / cancelar / cancele / cancelen / cancelad / (cancélalo|cancélala|cancélelo|cancelalo|cancelarlo|cancélame) / anula / anulá / anular / anule / anúlalo
    / aborta / abortá / abortar / aborte / abórtalo / detén / detener / detenga / detengan / (detenlo|deténlo|detenla|deténla|deténgalo)
    / interrumpe / interrumpa / suspende / suspender / (detente|deténte|deténgase|detenete|deténganse) / stop / cancel / frena / frená / frene / frenar / nvm`,
  stopWithoutObject: `
    para / pará / parar / (párate|parate|parate ya|párale|párese|pararse) / (páralo|paralo|párala|párelo) / para (eso|esto|todo|todo eso|todo esto|con eso|con esto)
    / deja de (hacer eso|hacerlo|hablar|escribir|hacer esto|responder) / para de (hacer eso|hacerlo|hablar|escribir) / que pares / que te (detengas|pares) / que lo (canceles|pares|dejes)
    / alto ahí / vale ya / basta / (ya basta|basta ya) / (con|es|eso es|ya es|ya con) eso (basta|suficiente) / (es|ya es|eso es) suficiente / ya fue
    / olvida / olvidá / olvide / (olvídalo|olvidalo|olvídelo|olvídate|olvidate|olvídese|olvidarlo)( de| de eso| de esto| de todo|) / (olvida|olvide|olvidá) (eso|esto|todo eso|lo que dije|lo que he dicho|lo anterior)
    / (déjalo|dejalo|déjelo|dejémoslo|déjala)( así| estar| ahí|) / (deja|dejá|deje) (eso|esto|todo eso) / hasta (aquí|ahí) / (ya|mejor) (déjalo|dejalo)`,
  alone: `
    no importa / ya no importa / da igual / (ya |)no hace falta / no sigas / no siga / no sigas (con eso|más) / no continúes / no continúe / no lo hagas / no lo haga / no hagas (eso|nada)
    / mejor no / no te molestes / ya no (lo necesito|hace falta|quiero) / no es necesario / ya no es necesario`,
  withoutLead: 'suficiente / alto',
  object: 'eso / esto / ese / este / todo / todo eso / todo esto',
  tail: `
    (por favor|porfa|porfis|porfavor|please|te lo ruego|te lo pido|te lo suplico) / ya / ya mismo / ahora / ahora mismo / inmediatamente / de inmediato / enseguida / de una vez / de una / ahorita / en este (momento|instante)
    / (gracias|muchas gracias) / (perdón|perdona|lo siento|disculpa) / (ok|vale|eh|che|hombre|tío|tía|amigo|joder|coño|bot|robot) / (mejor|entonces|pues) / por (dios|ahora|el momento) / aquí / ahí / he dicho / anda / he cambiado de (idea|opinión)`,
};
