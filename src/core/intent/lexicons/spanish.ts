// Stop phrases in Spanish. "No" needs a pause after it: "no, para" stops, "no para" says that something does not stop.
import type { StopLexicon } from './lexicon.ts';

export const spanish: StopLexicon = {
  language: 'es',
  lead: `
    (ok|okay|okey|vale|bueno|bien|listo|dale|de acuerdo|está bien) / (eh|ey|ay|ah|oh|uy|ups|uf|mmm|hmm|em|este) / (oye|oiga|oíd|mira|mire|hola|che|venga|anda)
    / (no,|no no,|no no no,|nono,|nada,) / sí / (por favor|porfa|porfis|porfavor|please|te lo ruego) / ya / (espera|espere|esperá|espérate|un momento|un segundo|a ver)
    / (mejor|en realidad|la verdad|de hecho|al final|pensándolo bien|entonces|pues|total|simplemente|solo|solamente) / (ahora|ahora mismo|inmediatamente)
    / (perdón|perdona|perdone|disculpa|disculpe|lo siento) / gracias / (he dicho|te he dicho|dije|te dije|te digo|repito)( que|)
    / (hombre|tío|tía|amigo|che|joder|coño|mierda|dios|por dios|bot|robot) / (que|pero) / (he cambiado|cambié) de (idea|opinión) / me arrepentí
    / (puedes|podrías|me puedes|podés|quieres|te importa|puede|podría|pueden|me podrías)( por favor| ya| ahora|) / (quiero|necesito|te digo|te pido|me gustaría) que( tú|) / vamos a / (he dicho|dije|te dije|ya te dije|te he dicho)( que| ya|) / (ok|xfa|x favor|xfavor|plis|pls|plz|wey|we|güey|loco|boludo|bro|jaja|jajaja|lol|xd|epa|ey|chicos|nah|noo) / (cambié|cambie) de (planes|parecer|opinion) / (mal|error|así no|eso no), / ya no, / sabes qué / mira,`,
  stop: `
    pare / paren / parad / cancela / cancelá / cancelar / cancele / cancelen / cancelad / (cancélalo|cancélala|cancélelo|cancelalo|cancelarlo|cancélame) / anula / anulá / anular / anule / anúlalo
    / aborta / abortá / abortar / aborte / abórtalo / detén / detener / detenga / detengan / (detenlo|deténlo|detenla|deténla|deténgalo)
    / interrumpe / interrumpa / suspende / suspender / (detente|deténte|deténgase|detenete|deténganse) / stop / cancel / frena / frená / frene / frenar / nvm
    / parar / parar(lo|la) / detenerte / detenerse / detenerlo / canceles / pares / te detengas / lo canceles / lo pares / anulalo / termínalo / terminalo / (mátalo|matalo|acábalo|acabalo|córtalo|cortalo|ciérralo|finalízalo|frénalo) / termina / terminá / finaliza / cesa / cese / corta / (mata|acaba|corta) (eso|esto|todo|todo eso) / acaba / (detén|detener|deten) / detengase / cancelalo todo / stopea / parate`,
  stopWithoutObject: `
    para / pará / parar / (párate|parate|parate ya|párale|párese|pararse) / (páralo|paralo|párala|párelo) / para (eso|esto|todo|todo eso|todo esto|con eso|con esto)
    / deja de (hacer eso|hacerlo|hablar|escribir|hacer esto|responder) / para de (hacer eso|hacerlo|hablar|escribir) / que pares / que te (detengas|pares) / que lo (canceles|pares|dejes)
    / alto ahí / vale ya / basta / (ya basta|basta ya) / (con|es|eso es|ya es|ya con) eso (basta|suficiente) / (es|ya es|eso es) suficiente / ya fue
    / olvida / olvidá / olvide / (olvídalo|olvidalo|olvídelo|olvídate|olvidate|olvídese|olvidarlo)( de| de eso| de esto| de todo|) / (olvida|olvide|olvidá) (eso|esto|todo eso|lo que dije|lo que he dicho|lo anterior)
    / (déjalo|dejalo|déjelo|dejémoslo|déjala)( así| estar| ahí|) / (deja|dejá|deje) (eso|esto|todo eso) / hasta (aquí|ahí) / (ya|mejor) (déjalo|dejalo)
    / (cállate|callate|cállese|callese|cállense|callense|kállate|kallate|callá|callaos|cierra)( la boca| el pico| el hocico| ya| de una vez|) / (silencio|chitón|shh|shhh|chist|a callar|calla|calladito|haz silencio|guarda silencio) / (q|ke|que) (pares|te calles|te detengas|lo dejes|pararas) / (que |)lo (dejes|canceles|pares)( así| ya|) / dejarlo( aquí| así| ya| estar|) / (déjalo|dejalo|dejémoslo) (ya|aquí|por hoy|así|estar|ahí|en paz) / (deja|dejá|deje) eso (ya|así|ahí) / déjame en paz / (párale|parale|ya párale|ya parale) / ya (para|párate|estuvo|está bien|está|vale|es suficiente|bastó|fue suficiente) / ya está / (con|eso) (eso |)(basta|es todo|es suficiente) / eso es todo / no más / nada más / para (ya|tío|wey|we|hombre|bro) / (deja|para) de (buscar|trabajar|pensar|generar|teclear|correr|leer|joder|ejecutar) / se acabó / hemos terminado / ya terminamos / suéltalo / olvida el tema / alto (ya|todo|alto) / ni modo / terminemos / terminemos aquí / basta de (hablar|eso|esto)
    / (para|deja) de responder`,
  alone: `
    no importa / ya no importa / da igual / (ya |)no hace falta / no sigas / no siga / no sigas (con eso|más) / no continúes / no continúe / no lo hagas / no lo haga / no hagas (eso|nada)
    / mejor no / no te molestes / ya no (lo necesito|hace falta|quiero) / no es necesario / ya no es necesario
    / no (sigas|siga|prosigas|prosiga|continúes|continúe|continues|avances)( más| así| por favor|) / no lo (hagas|haga)( más|) / no hagas (eso|nada|esto)( más|) / (ya |)no (importa|lo necesito|hace falta|es necesario|me hace falta|quiero|lo quiero|sirve) / no te (preocupes|molestes) / nada, déjalo / (nada|déjalo), nada / no es nada / no gracias`,
  withoutLead: 'suficiente / alto',
  object: 'eso / esto / ese / este / todo / todo eso / todo esto',
  tail: `
    (por favor|porfa|porfis|porfavor|please|te lo ruego|te lo pido|te lo suplico) / ya / ya mismo / ahora / ahora mismo / inmediatamente / de inmediato / enseguida / de una vez / de una / ahorita / en este (momento|instante)
    / (gracias|muchas gracias) / (perdón|perdona|lo siento|disculpa) / (ok|vale|eh|che|hombre|tío|tía|amigo|joder|coño|bot|robot) / (mejor|entonces|pues) / por (dios|ahora|el momento) / aquí / ahí / he dicho / anda / he cambiado de (idea|opinión)
    / (xfa|xfis|xfavor|x favor|plis|pls|plz|tq|wey|we|güey|bro|loco|boludo|mano|pana|jaja|jajaja|lol|xd) / de (hablar|todo) / que (pares|te calles) / así / no / sí / gracias / mal / así no / archivo equivocado / lo hago yo / en serio / ya ya / de verdad / hoy / por hoy`,
};
