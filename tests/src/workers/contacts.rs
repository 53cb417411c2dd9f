//! Tests of contacts of a worker over HTTP.

use reqwest::Method;
use serde_json::{Value, json};

use crate::operations::{CONTACT_OF_WORKER, CONTACTS_OF_WORKER};
use crate::support::{OPEN, Request, Server, new_contact, on_every_database};

const CONTACTS_PATH: &str = "/workers/EMPLOYEE/contacts";

/// Returns the name of each contact, followed by `true` if the contact is primary and by `false` otherwise.
async fn primary_contacts(server: &Server) -> Vec<String> {
    let listed = server.send(&Request::get(CONTACTS_PATH).accept(CONTACTS_OF_WORKER)).await;
    let of = |contact: &Value| {
        let relationship = &contact["relationship"];
        let person = &relationship["person"]["name"]["givenName"];
        let name = person.as_str().or_else(|| relationship["entity"]["entityName"].as_str());
        format!("{} {}", name.expect("a name"), relationship["primary"])
    };
    listed.content().iter().map(of).collect()
}

#[test]
fn a_contact_is_shown_with_the_names_of_its_types() {
    on_every_database(async |server| {
        let one = Request::get(format!("{CONTACTS_PATH}/SISTER")).accept(CONTACT_OF_WORKER);
        let expected = json!({
            "contactId": "SISTER",
            "contactType": {"contactTypeId": "EMERGENCY", "contactTypeName": "Emergency Contact"},
            "relationship": {
                "relationshipId": "SISTER", "relationWeid": "SISTER", "primary": true,
                "person": {"name": {"familyName": "Sample", "givenName": "Cy"}, "communication": {
                    "telecom": [{"communicationId": "T1", "dialNumber": "5550190", "type": "PHONE"}],
                    "email": [{"communicationId": "E1", "uri": "cy@demo.example"}],
                }},
            },
        });
        assert_eq!(server.send(&one).await.content(), [expected]);
        assert_eq!(primary_contacts(server).await, ["Cy true", "Practice false"]);
    });
}

#[test]
fn contacts_are_added_together_and_a_new_primary_one_replaces_another() {
    on_every_database(async |server| {
        let mut second = new_contact();
        second["relationship"]["person"]["name"]["givenName"] = json!("Di");
        second["relationship"]["primary"] = json!(true);
        let both = json!([new_contact(), second]);
        let dry = server.send(&Request::post(format!("{CONTACTS_PATH}?dryrun=true"), &both)).await;
        assert_eq!((dry.status, dry.content().len(), &dry.content()[0]["contactId"]), (200, 2, &Value::Null));
        for id in ["relationshipId", "relationWeid", "communicationId"] {
            assert!(!dry.text().contains(id), "{id} {dry:?}");
        }
        let post = Request::post(CONTACTS_PATH, &both).idempotency_key("contacts");
        let (created, again) = (server.send(&post).await, server.send(&post).await);
        assert_eq!((created.status, created.content()), (201, again.content()));
        assert_eq!(
            created.content()[0]["relationship"]["relationshipType"]["relationshipTypeName"],
            "Spouse"
        );
        assert_eq!(primary_contacts(server).await, ["Cy false", "Practice false", "Bo false", "Di true"]);
        let id = created.content()[1]["contactId"].as_str().expect("an id").to_owned();
        let removed = Request::new(Method::DELETE, format!("{CONTACTS_PATH}/{id}"));
        assert_eq!(server.send(&removed).await.status, 204);
        assert_eq!(primary_contacts(server).await, ["Cy true", "Practice false", "Bo false"]);
        let wrong =
            json!([new_contact(), {"contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {}}]);
        let refused = server.send(&Request::post(CONTACTS_PATH, &wrong)).await.json();
        let pointers: Vec<_> =
            refused["errors"].as_array().expect("errors").iter().map(|it| it["pointer"].clone()).collect();
        assert_eq!(pointers, [json!("/0/contactType"), json!("/1/relationship/person")]);
    });
}

#[test]
fn one_contact_is_accepted_without_a_list() {
    on_every_database(async |server| {
        let created = server.send(&Request::post(CONTACTS_PATH, &new_contact())).await;
        assert_eq!((created.status, created.content().len()), (201, 1));
        let list_of_entity = json!([{"contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {"entity": {
            "entityName": "Care", "communication": {"telecom": [{"dialNumber": "5550195"}]}}}}]);
        let created = server.send(&Request::post(CONTACTS_PATH, &list_of_entity)).await;
        let telecom = &created.content()[0]["relationship"]["entity"]["communication"]["telecom"];
        assert_eq!((created.status, &telecom["dialNumber"]), (201, &json!("5550195")));
    });
}

#[test]
fn a_telephone_of_a_person_is_changed_as_an_object_or_a_list() {
    on_every_database(async |server| {
        let patch = |telecom: Value| {
            let person = json!({"communication": {"telecom": telecom}});
            Request::patch(format!("{CONTACTS_PATH}/SISTER"), &json!({"relationship": {"person": person}}))
        };
        let numbers = |response: &crate::support::Response| -> Vec<Value> {
            let content = response.content();
            let list = &content[0]["relationship"]["person"]["communication"]["telecom"];
            list.as_array().expect("a list").iter().map(|it| it["dialNumber"].clone()).collect()
        };
        let changed = server.send(&patch(json!({"dialNumber": "5550192"}))).await;
        assert_eq!((changed.status, numbers(&changed)), (200, vec![json!("5550192")]));
        let two = json!([{"communicationId": "T1", "dialNumber": "1"}, {"dialNumber": "2"}]);
        assert_eq!(numbers(&server.send(&patch(two)).await), ["1", "2"]);
        let second = json!({"communicationId": "T2", "dialNumber": "3"});
        assert_eq!(numbers(&server.send(&patch(second)).await), ["1", "3"]);
        let unclear = server.send(&patch(json!({"dialNumber": "4"}))).await;
        assert_eq!(unclear.status_and_code(), "400 API-47");
    });
}

#[test]
fn a_contact_type_in_use_cannot_be_deleted() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/contacttypes/EMERGENCY");
        assert_eq!(server.send(&Request::operator_delete(&path)).await.status_and_code(), "409 API-409");
        let spouse = json!({"relationship": {"relationshipType": {"relationshipTypeId": "SPOUSE"}}});
        let changed = server.send(&Request::patch(format!("{CONTACTS_PATH}/SISTER"), &spouse)).await;
        assert_eq!(changed.status, 200);
        let fewer = Request::operator_patch(&path, &json!({"relationshipTypes": []}));
        assert_eq!(server.send(&fewer).await.status_and_code(), "409 API-409");
        // Operators read and change contacts as members of the worker. Two contacts of the same type cannot
        // both be primary.
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let document = server.send(&Request::operator_get(&worker)).await;
        let mut contacts = document.content()[0]["contacts"].clone();
        assert_eq!(contacts[0]["relationship"]["person"]["name"]["givenName"], "Cy");
        contacts[1]["relationship"]["primary"] = json!(true);
        let both = server.send(&Request::operator_patch(&worker, &json!({"contacts": contacts}))).await;
        assert_eq!(both.json()["errors"][0]["pointer"], "/contacts/1/relationship/primary");
    });
}

#[test]
fn a_worker_has_a_limited_number_of_contacts() {
    on_every_database(async |server| {
        let contacts = |count: usize| {
            let contact = |number: usize| {
                let mut contact = new_contact();
                contact["relationship"]["person"]["name"]["givenName"] = json!(format!("Bo {number}"));
                contact
            };
            Request::post(CONTACTS_PATH, &Value::Array((0..count).map(contact).collect()))
        };
        let refused = server.send(&contacts(499)).await;
        assert_eq!(refused.status_and_code(), "400 API-48", "the worker has two contacts");
        let mut worker = server
            .send(&Request::operator_get(&format!("/companies/{OPEN}/workers/EMPLOYEE")))
            .await
            .content()
            .remove(0);
        let contact = worker["contacts"][0].take();
        worker["contacts"] = json!(vec![contact; 501]);
        let replaced = Request::operator_put(&format!("/companies/{OPEN}/workers/EMPLOYEE"), &worker);
        let refused = server.send(&replaced.if_match("*")).await;
        assert!(refused.errors().iter().any(|it| it["pointer"] == "/contacts"), "{}", refused.status);
    });
}
